package integration

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf16"
)

// moneyExports are files of banks, brokers and shops, most of them tables.
func moneyExports() []export {
	return []export{{
		folder: "sparkasse",
		files: map[string]string{"konto.csv": "Kontoinhaber;Nora Lind\r\nZeitraum;01.01.2026 - 31.01.2026\r\n\r\nBuchung;Empfänger;Betrag;Zinssatz;Saldo\r\n" +
			"02.01.2026;Miete;-1.234,56 €;0,25 %;1.000,00 €\r\n15.01.2026;\"Café; Blau\";-12,50 €;0,25 %;987,50 €\r\n31.01.2026;Gehalt;3.500,00 €;0,50 %;4.487,50 €\r\n\r\nUmsätze gesamt\r\nStand;31.01.2026\r\n"},
		truths: []truth{
			counts("sparkasse_konto", "3"), finds("Kontoinhaber", "Nora Lind"), sums("sparkasse_konto", "Betrag", "2252.94"), sums("sparkasse_konto", "Zinssatz", "1"),
			lists(`{"stream":"sparkasse_konto","filter":{"Buchung":{"gte":"2026-01-15","lt":"2026-01-31"}}}`, "Café; Blau", "-12.5", "€", "1 record"),
		},
	}, {
		folder: "card",
		files: map[string]string{"Chase1234_Activity.csv": "Transaction Date,Post Date,Description,Category,Amount\n01/15/2026,01/16/2026,HARBOUR CAFE,Food & Drink,($12.34)\n" +
			"01/31/2026,02/01/2026,REFUND,Shopping,\"$1,000.00\"\n02/28/2026,03/01/2026,FERRY,Travel,($7.66)\n"},
		truths: []truth{
			counts("card_Chase1234_Activity", "3"), sums("card_Chase1234_Activity", "Amount", "980"),
			lists(`{"stream":"card_Chase1234_Activity","filter":{"Amount":{"lt":0}},"count":"exact"}`, "HARBOUR CAFE", "FERRY", "-12.34", "2026-01-15"),
		},
	}, {
		folder: "broker",
		files:  map[string]string{"trades.csv": "executed_at,symbol,side,quantity,price\n1768443300123,ACME,buy,10,12.5\n1768529700456,ACME,sell,4,13\n1768616100789,ZETA,buy,1,100.25\n"},
		truths: []truth{
			sums("broker_trades", "quantity", "15"), lists(`{"stream":"broker_trades","filter":{"executed_at":{"gte":"2026-01-16","lt":"2026-01-17"}}}`, "2026-01-16T02:15:00.456Z", "sell", "1 record"),
			{"aggregate", `{"stream":"broker_trades","metric":"sum","field":"quantity","group_by":"symbol"}`, []string{"ACME", "14", "ZETA"}},
		},
	}, {
		folder: "amazon",
		files: map[string]string{"Retail.OrderHistory.1.csv": "\"Website\",\"Order ID\",\"Order Date\",\"Unit Price\",\"Shipping Charge\",\"Product Name\"\n" +
			"\"Amazon.de\",\"302-1\",\"2026-01-15T02:15:00Z\",\"1,234.56\",\"0\",\"Kettle, 1.7 l\"\n\"Amazon.de\",\"302-1\",\"2026-01-15T02:15:00Z\",\"5.44\",\"3.99\",\"5\"\" nails\"\n\"Amazon.de\",\"302-2\",\"2026-02-01T09:00:00.123Z\",\"10\",\"'-1.99'\",\"Not Available\"\n"},
		truths: []truth{
			sums("amazon_Retail.OrderHistory.1", "Unit_Price", "1250"), lists(`{"stream":"amazon_Retail.OrderHistory.1","filter":{"Order_ID":"302-1"},"count":"exact"}`, "Kettle, 1.7 l", "2026-01-15T02:15:00Z", `5\" nails`),
		},
	}, {
		folder: "ledger", // finance programs, with their own terms
		files: map[string]string{
			"giro.ofx":  "OFXHEADER:100\r\n\r\n<OFX><CURDEF>EUR<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260115<TRNAMT>-1234.50<FITID>f1<NAME>Rent</STMTTRN><STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260131<TRNAMT>2000.00<FITID>f2<NAME>Harbour &amp; Co</STMTTRN></BANKTRANLIST></OFX>",
			"fund.qfx":  "<OFX><INVTRANLIST><BUYSTOCK></INVTRANLIST><STMTTRN><DTPOSTED>20260115<TRNAMT>5<FITID>f1</STMTTRN></OFX>",
			"notes.txt": "The landlord is called Ebba.\n",
		},
		truths: []truth{
			sums("ledger_giro", "amount", "765.5"), lists(`{"stream":"ledger_giro","filter":{"date":{"gte":"2026-01-20"}}}`, "Harbour & Co", "EUR", "f2", "1 record"),
			finds("landlord Ebba", "ledger_documents:notes.txt"),
		},
		skips: []string{"fund.qfx: cannot be read on: what was bought and sold in an investment account is left out"},
	}, {
		folder: "netflix",
		files:  map[string]string{"NetflixViewingHistory.csv": "Title,Date\n\"The Crown: Season 1: \"\"Wolferton Splash\"\"\",1/15/26\n\"Dark: Staffel 1: Geheimnisse\",12/31/25\nOkja,1/5/26\n"},
		truths: []truth{
			counts("netflix_NetflixViewingHistory", "3"), lists(`{"stream":"netflix_NetflixViewingHistory","filter":{"Date":{"gte":"2026-01-01"}},"sort":"Date"}`, "Okja", "2026-01-05", "2026-01-15"),
			finds("Wolferton Splash", "netflix_NetflixViewingHistory:2"),
		},
	}}
}

// wearableExports are files of devices that people wear.
func wearableExports() []export {
	return []export{{
		folder: "strava",
		files: map[string]string{
			"activities.csv": "Activity ID,Activity Date,Activity Name,Distance\n1,\"Jan 15, 2026, 2:15:00 AM\",Morning run,10.5\n2,\"Jan 31, 2026, 6:00:00 PM\",Ride along the dyke,42\n",
			"garmin.csv":     "Activity Type,Date,Title,Distance\nRunning,2026-01-15 02:15 +0100,Oslo run,\"5.25\"\nRunning,2026-01-16 02:15 +0100,Second run,4.75\n",
		},
		truths: []truth{
			sums("strava_activities", "Distance", "52.5"), sums("strava_garmin", "Distance", "10"), lists(`{"stream":"strava_activities"}`, "2026-01-31T18:00:00"), lists(`{"stream":"strava_garmin"}`, "2026-01-15T02:15:00+01:00"),
		},
	}, {
		folder: "health",
		files: map[string]string{
			"export.xml": "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData (Record|Workout)*>\n]>\n<HealthData locale=\"nb_NO\">\n" +
				`<Record type="HKQuantityTypeIdentifierStepCount" unit="count" creationDate="2026-01-17 02:15:00 +0100" startDate="2026-01-15 02:15:00 +0100" endDate="2026-01-15 02:20:00 +0100" value="120"><MetadataEntry key="k" value="v"/></Record>` + "\n" +
				`<Record type="HKQuantityTypeIdentifierStepCount" unit="count" startDate="2026-01-16 02:15:00 +0100" value="80"/><Record type="HKCategoryTypeIdentifierSleepAnalysis" startDate="2026-01-16 00:15:00 +0100" value="HKCategoryValueSleepAnalysisAsleepCore"/>` + "\n" +
				`<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" startDate="2026-01-15 06:00:00 +0100"/></HealthData>`,
			"broken.xml":                 `<!DOCTYPE HealthData><HealthData><Record type="X" startDate="2026-01-15 02:15:00 +0100" value="1"/><Record type=`,
			"other.xml":                  `<?xml version="1.0"?><gpx/>`,
			"heart_rate-2026-01-15.json": `[{"dateTime":"2026-01-15T02:15:00","value":{"bpm":61,"confidence":2}},{"dateTime":"2026-01-15T02:15:05","value":{"bpm":64,"confidence":3}}]`,
		},
		truths: []truth{
			counts("health_export", "4"), lists(`{"stream":"health_export","filter":{"type":"SleepAnalysis"}}`, "SleepAnalysisAsleepCore", "2026-01-16T00:15:00+01:00"), lists(`{"stream":"health_export","filter":{"type":"Running"}}`, "30.5", "min"), counts("health_broken", "1"),
			{"aggregate", `{"stream":"health_export","metric":"sum","field":"value","group_by":"type"}`, []string{"StepCount", "200"}},
			lists(`{"stream":"health_export","filter":{"startDate":{"lt":"2026-01-15T03:00:00Z"}},"count":"exact"}`, "120", "1"), // when it was measured, not when it was recorded
			sums("health_heart_rate-2026-01-15", "value.bpm", "125"), lists(`{"stream":"health_heart_rate-2026-01-15","filter":{"value.bpm":{"gt":62}}}`, "02:15:05", "64", "1 record"),
		},
		skips: []string{"broken.xml:1: not XML from here on", "other.xml: of no known kind"},
	}}
}

// chatExports are conversations and profiles.
func chatExports(t *testing.T) []export {
	return []export{{
		folder: "instagram", // writes each byte of a name as a character
		files: map[string]string{"inbox/ida_2/message_1.json": `{"participants":[{"name":"Ida"},{"name":"Nora"}],"messages":[{"sender_name":"Ida","timestamp_ms":1768443500000,"content":"Hei"}]}`,
			"inbox/ida_2/message_2.json": `{"participants":[{"name":"Ida"},{"name":"Nora"}],"messages":[{"sender_name":"Ida","timestamp_ms":1768443400000,"content":"S\u00c3\u00a5"}]}`, "inbox/bo_1/message_1.json": `{"participants":[{"name":"J\u00c3\u00b6rg"}],"messages":[{"sender_name":"J\u00c3\u00b6rg","timestamp_ms":1768443300123,"content":"Is the lighthouse open?"},` +
				`{"sender_name":"Nora","timestamp_ms":1768443360000,"share":{"link":"https://x.example/a"}},{"sender_name":"Nora","timestamp_ms":1768443420000,"content":"Sch\u00c3\u00b6n"}]}`},
		truths: []truth{
			counts("instagram_inbox", "5"), finds("lighthouse open", "instagram_inbox:bo_1-1"), lists(`{"stream":"instagram_inbox","filter":{"sender_name":"Nora","conversation":"bo_1"},"count":"exact"}`, "2026-01-15T02:16:00.000Z", "https://x.example/a", "Schön"),
			lists(`{"stream":"instagram_inbox","filter":{"sender_name":"Jörg"}}`, "lighthouse open", "1 record"), lists(`{"stream":"instagram_inbox","filter":{"conversation":"ida_2"}}`, "Hei", "Så", "2 records"),
			counts("instagram_inbox_conversations", "2"), lists(`{"stream":"instagram_inbox_conversations","filter":{"conversation":"bo_1"},"expand":["messages"]}`, "Jörg", "lighthouse open"),
		},
	}, {
		folder: "phone",
		files:  map[string]string{"sms.xml": `<smses count="2"><sms address="+4917" date="1768443333000" type="1" body="Bring the tent &#55357;&#56832;" contact_name="Ann" /><sms address="+4917" date="1768443334000" type="2" body="ok" contact_name="Ann" /></smses>`},
		truths: []truth{
			counts("phone_sms.xml", "2"), finds("bring tent", "phone_sms.xml:2"), lists(`{"stream":"phone_sms.xml","filter":{"direction":"sent"}}`, "ok", "2026-01-15T02:15:34.000Z", "1 record"),
		},
	}, {
		folder: "assistant",
		files: map[string]string{"conversations.json": `[{"title":"Trip","conversation_id":"c1","mapping":{"a":{"message":null},"b":{"parent":"a","message":{"author":{"role":"user"},"create_time":1768443333.2,"content":{"content_type":"text","parts":["Where do puffins nest?"]}}},` +
			`"c":{"parent":"b","message":{"author":{"role":"assistant"},"create_time":1768443334,"content":{"content_type":"text","parts":["On cliffs."]}}}}}]`},
		truths: []truth{
			counts("assistant_conversations", "2"), finds("puffins nest", "assistant_conversations:b"), lists(`{"stream":"assistant_conversations","filter":{"in_reply_to":"b"}}`, "On cliffs.", "Trip"),
		},
	}, {
		folder: "telegram",
		files: map[string]string{"result.json": `{"name":"Ann","type":"personal_chat","id":77,"messages":[{"id":1,"type":"message","date":"2026-01-15T02:15:00","date_unixtime":"1768443300","from":"Ann","text":"Did the parcel come?"},` +
			`{"id":2,"type":"message","date":"2026-01-15T02:16:00","date_unixtime":"1768443360","from":"Nora","reply_to_message_id":1,"text":["Yes: ",{"type":"link","text":"https://parcel.example"}]}]}`},
		truths: []truth{
			counts("telegram_result", "2"), finds("parcel come", "telegram_result:77-1"),
			lists(`{"stream":"telegram_result","filter":{"in_reply_to":"77-1"}}`, "Yes: https://parcel.example", "2026-01-15T02:16:00", "Ann"),
		},
	}, {
		folder: "discord",
		files: map[string]string{
			"messages/c1/messages.json": `[{"ID":1325,"Timestamp":"2026-01-15 02:15:00","Contents":"The raid begins at nine","Attachments":""},{"ID":1326,"Timestamp":"2026-01-16 02:15:00","Contents":"gg","Attachments":"https://cdn.example/1.png"}]`,
			"signal.csv":                "sent_at,sender,body\n1768443300123,Ann,\"Two lines\nof text\"\n1768443301000,Nora,ok\n",
		},
		truths: []truth{
			counts("discord_messages_c1_messages", "2"), lists(`{"stream":"discord_messages_c1_messages","filter":{"Timestamp":{"lt":"2026-01-16"}}}`, "raid begins"),
			finds("two lines of text", "discord_signal:2"), lists(`{"stream":"discord_signal"}`, "2026-01-15T02:15:00.123Z"),
		},
	}, {
		folder: "linkedin",
		files: map[string]string{"Basic_LinkedInDataExport.zip": packed(t, map[string]string{
			"Connections.csv": "Notes:\n\"When exporting your connection data, you may notice missing emails.\"\n\nFirst Name,Last Name,Company,Connected On\nAnn,Dahl,Harbour,15 Jan 2026\nBo,Berg,\"Sail, Inc.\",31 Dec 2025\n",
			"messages.csv":    "CONVERSATION ID,FROM,DATE,CONTENT\n2-a,Ann Dahl,2026-01-15 02:15:00 UTC,Shall we sail?\n2-a,Nora,2026-01-15 03:15:00 UTC,Gladly\n",
		})},
		truths: []truth{
			counts("linkedin_Basic_LinkedInDataExport_Connections", "2"), lists(`{"stream":"linkedin_Basic_LinkedInDataExport_Connections","filter":{"Connected_On":{"gte":"2026-01-01"}}}`, "Ann", "2026-01-15", "1 record"),
			lists(`{"stream":"linkedin_Basic_LinkedInDataExport_messages","filter":{"CONVERSATION_ID":"2-a"}}`, "Shall we sail?", "2026-01-15T03:15:00Z"),
		},
	}}
}

// placeExports are visited places and web pages.
func placeExports(t *testing.T) []export {
	return []export{{
		folder: "maps",
		files: map[string]string{"Timeline.json": `{"semanticSegments":[{"startTime":"2026-01-15T02:15:00.000+01:00","endTime":"2026-01-15T03:15:00.000+01:00","visit":{"probability":0.5,"topCandidate":{"semanticType":"HOME"}}},` +
			`{"startTime":"2026-01-15T03:15:00.000+01:00","endTime":"2026-01-15T04:00:00.000+01:00","activity":{"distanceMeters":1200.5}}],"userLocationProfile":{"frequentPlaces":[]}}`},
		truths: []truth{
			counts("maps_Timeline", "2"), lists(`{"stream":"maps_Timeline","filter":{"visit.topCandidate.semanticType":"HOME"}}`, "2026-01-15T02:15:00.000+01:00", "1 record"), sums("maps_Timeline", "activity.distanceMeters", "1200.5"),
		},
	}, {
		folder: "browsers",
		files: merged(map[string]string{"History.json": `{"Browser History":[{"title":"Knots","url":"https://knots.example/","time_usec":1768443300123456},{"title":"Sails","url":"https://sails.example/","time_usec":1768529700000000}]}`},
			sqliteFile(t, "places.sqlite", "CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url TEXT, title TEXT, last_visit_date INTEGER)",
				"CREATE TABLE moz_historyvisits (id INTEGER PRIMARY KEY, place_id INTEGER REFERENCES moz_places, visit_date INTEGER)",
				"INSERT INTO moz_places VALUES (5, 'https://tides.example/', 'Tide tables', 1768443300123456)", "INSERT INTO moz_historyvisits VALUES (1, 5, 1768443300123456), (2, 5, 1768443400000000)"),
			sqliteFile(t, "chrome-history", "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT, last_visit_time INTEGER)", "INSERT INTO urls VALUES (1, 'https://chrome.example/', 13412916900123456)")),
		truths: []truth{
			lists(`{"stream":"browsers_History","filter":{"time_usec":{"lt":"2026-01-16"}}}`, "Knots", "2026-01-15T02:15:00.123456Z", "1 record"), finds("tide tables", "browsers_places_moz_places:5"),
			lists(`{"stream":"browsers_places_moz_places","expand":["moz_historyvisits"]}`, "2026-01-15T02:16:40.000000Z"), lists(`{"stream":"browsers_chrome-history_urls"}`, "2026-01-15T02:15:00.123456Z"),
		},
	}}
}

// mailExports are mail, calendars and contacts as other programs write them.
func mailExports() []export {
	return []export{{
		folder: "thunderbird",
		files: map[string]string{
			"Inbox.mbox": "From - Thu Jan 15 02:15:00 2026\nMessage-ID: <t1@x>\nSubject: Fwd: Plan\nFrom: Ann <ann@x.example>\nDate: Thu, 15 Jan 2026 03:15:00 +0100\nContent-Type: multipart/mixed; boundary=o\n\n" +
				"--o\nContent-Type: multipart/alternative; boundary=i\n\n--i\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe aus dem Hafen=\n!\n--i\nContent-Type: text/html\n\n<p>Other</p>\n--i--\n" +
				"--o\nContent-Type: message/rfc822\nContent-Disposition: attachment; filename=plan.eml\n\nSubject: Plan\n\nThe inner letter\n--o\nContent-Type: application/ms-tnef; name=winmail.dat\nContent-Disposition: attachment; filename=winmail.dat\nContent-Transfer-Encoding: base64\n\neJ8+IgAA\n--o--\n\n",
			"latin.eml": "Message-ID: <l1@x>\r\nSubject: =?iso-8859-1?Q?Caf=E9_am_Kai?=\r\nFrom: =?windows-1252?B?SvZyZw==?= <j@x.example>\r\nDate: Fri, 16 Jan 2026 02:15:00 +0000\r\nContent-Type: text/plain; charset=windows-1252\r\n\r\nDer Preis ist 5 \x80.\r\n",
		},
		truths: []truth{
			counts("thunderbird_Inbox", "1"), counts("thunderbird_Inbox_attachments", "2"), finds("Grüße Hafen", "thunderbird_Inbox:t1@x"),
			lists(`{"stream":"thunderbird_Inbox_attachments"}`, "winmail.dat", "plan.eml"), lists(`{"stream":"thunderbird"}`, "Café am Kai", "Jörg"), {"fetch", `{"id":"cin_files/thunderbird:l1@x"}`, []string{"Der Preis ist 5 €."}},
		},
	}, {
		folder: "googlecalendar",
		files: map[string]string{"nora@x.example.ics": "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Nora\r\nBEGIN:VTIMEZONE\r\nTZID:America/New_York\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:y@google.com\r\nSUMMARY:Yoga\r\nDTSTART;TZID=America/New_York:20260105T180000\r\n" +
			"DTEND;TZID=America/New_York:20260105T190000\r\nRRULE:FREQ=WEEKLY;COUNT=4;BYDAY=MO\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:c@google.com\r\nSUMMARY:Board meeting\r\nSTATUS:CANCELLED\r\nDTSTART:20260115T021500Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"},
		truths: []truth{
			counts("googlecalendar_nora_x.example", "5"), lists(`{"stream":"googlecalendar_nora_x.example","filter":{"series_id":"y@google.com"},"count":"exact","sort":"starts_at"}`, "2026-01-05T18:00:00-05:00", "2026-01-26T18:00:00-05:00", "4"),
			{"fetch", `{"id":"cin_files/googlecalendar_nora_x.example:c@google.com"}`, []string{"cancelled", "Board meeting"}},
		},
	}, {
		folder: "addresses",
		files: map[string]string{
			"old.vcf": "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCller;Uta;;;\r\nTEL;HOME:030 1\r\nEND:VCARD\r\n",
			"new.vcf": "BEGIN:VCARD\nVERSION:3.0\nFN:Bo Berg\nEMAIL;TYPE=WORK:bo@x.example\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nN:;;;;\nORG:Harbour Office;\nBDAY:1604-03-01\nEND:VCARD\nBEGIN:VCARD\nVERSION:4.0\nFN:Ida Holm\nTEL;VALUE=uri:tel:+47-1\nBDAY:19840301\nEND:VCARD\n",
		},
		truths: []truth{lists(`{"stream":"addresses_old"}`, "Uta Müller", "030 1"), counts("addresses_new", "3"), lists(`{"stream":"addresses_new"}`, "Harbour Office", "--03-01", "bo@x.example", "Ida Holm", "+47-1")},
	}, {
		folder: "reading",
		files: map[string]string{
			"My Clippings.txt": "\ufeffThe Sea (Rachel Carson)\r\n- Your Highlight on page 7 | Location 100-102 | Added on Thursday, January 15, 2026 2:15:09 AM\r\n\r\nThe sea lies all about us.\r\n==========\r\n" +
				"\ufeffMoby-Dick\r\n- Ihre Notiz bei Position 12 | Hinzugefügt am Donnerstag, 15. Januar 2026 14:15:09\r\n\r\nread\r\nagain\r\n==========\r\nhalf\r\n==========\r\n",
			"notes.html": "<html><head><title>Shopping</title></head><body><div>Milk &amp; rye bread</div><div><br></div><div>Grüße</div></body></html>",
		},
		truths: []truth{finds("rye bread", "reading_documents:notes.html"), lists(`{"stream":"reading_documents"}`, "Shopping"), counts("reading_My_Clippings", "2"),
			lists(`{"stream":"reading_My_Clippings","filter":{"author":"Rachel Carson"}}`, "The sea lies all about us.", "2026-01-15T02:15:09", "Location 100-102"), lists(`{"stream":"reading_My_Clippings","filter":{"title":"Moby-Dick"}}`, "2026-01-15T14:15:09", `read\nagain`)},
		skips: []string{"My Clippings.txt:12: not a clipping"},
	}}
}

// oddExports are archives in archives, decompression bombs, and binary files.
func oddExports(t *testing.T) []export {
	var bomb bytes.Buffer
	writer := zip.NewWriter(&bomb)
	entry, err := writer.Create("zeros.csv")
	check(t, err)
	_, err = io.Copy(entry, io.LimitReader(zeros{}, 128<<20))
	check(t, err)
	check(t, writer.Close())
	var secret bytes.Buffer
	writer = zip.NewWriter(&secret)
	entry, err = writer.CreateHeader(&zip.FileHeader{Name: "locked.csv", Flags: 1})
	check(t, err)
	_, err = io.WriteString(entry, "n\n1\n")
	check(t, err)
	check(t, writer.Close())
	var wide strings.Builder
	for _, unit := range utf16.Encode([]rune("\ufeffName;Größe\r\nÄpfel;1,5\r\nBirnen;2,25\r\n")) {
		wide.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	deepest := packed(t, map[string]string{"deep.csv": "n\n3\n"})
	return []export{{
		folder: "archives",
		files: map[string]string{
			"one.zip":  packed(t, map[string]string{"top.csv": "n\n1\n", "two.zip": packed(t, map[string]string{"middle.csv": "n\n2\n", "three.zip": deepest})}),
			"bomb.zip": bomb.String(), "secret.zip": secret.String(),
		},
		truths: []truth{counts("archives_one_top", "1"), counts("archives_one_two_middle", "1")},
		skips:  []string{"one.zip/two.zip/three.zip: cannot be read: an archive in two others", "bomb.zip", "secret.zip: cannot be read: encrypted"},
	}, {
		folder: "odd",
		files: map[string]string{
			"wide.csv": wide.String(), "nul.csv": "n,s\n1,a\n2,b\x00c\n3,d\n" + strings.Repeat("4,e\n", 2000) + "5,f\x00\n", "twice.jsonl": "{\"n\":1,\"n\":2}\n{\"n\":1e400}\n{\"n\":7}\n",
			"long.jsonl": strings.Repeat("{\"n\":1}\n", 600), "large.sqlite": "SQLite format 3\x00", // extended later
			"late.csv": "n,s\n" + strings.Repeat("4,e\n", 2000) + "5,f\x00\n", "last.csv": "n\n" + strings.Repeat("1\n", 5000) + "one\n",
		},
		truths: []truth{
			sums("odd_wide", "Größe", "3.75"), lists(`{"stream":"odd_wide"}`, "Äpfel"), counts("odd_twice", "1"), sums("odd_twice", "n", "7"), counts("odd_late", "2,001"), counts("odd_nul", "2,004"), sums("odd_nul", "n", "8011"), sums("odd_late", "n", "8005"),
			counts("odd_long", "600"), counts("odd_last", "5,001"), lists(`{"stream":"odd_last","filter":{"n_text":"one"}}`, "1 record"), sums("odd_last", "n", "5000"),
		},
		skips: []string{"twice.jsonl:1: ambiguous", "twice.jsonl:2: one that most programs cannot read", "long.jsonl:601: longer than 16 MiB", "large.sqlite: cannot be read: a database of more than 256 MiB", "pipe.csv: not a regular file", "dangling.csv: a link out of the folder or to nothing", "up: a link"},
	}}
}

// zeros reads as zeros without an end.
type zeros struct{}

func (zeros) Read(into []byte) (int, error) {
	clear(into)
	return len(into), nil
}
