package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// askedSchema has mail with attachments and threads, a chat with rooms, rentals with items, and a diary.
var askedSchema = strings.NewReplacer("TIME", `t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time`, "NUMBER", "t=number,r=gte|gt|lte|lt,a=sum|min",
	"VALUE", "t=string,eq,a=group_by", "FLAG", "t=boolean,eq,a=group_by", "TITLE", "t=string,role=primary-title,eq,lex,a=group_by",
	"ACTOR", "t=string,role=actor,eq,lex,a=group_by", "MANY", `"cardinality":"has_many","target_stream"`).Replace(
	`{"detail":"compact","connectors":[` +
		`{"connector_key":"post","granted_connections":[{"connection_id":"p","display_name":"Post"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"sent":"TIME","sender":"ACTOR","subject":"t=text,lex","has_attachments":"FLAG","is_seen":"FLAG","is_flagged":"FLAG","bytes":"NUMBER"},` +
		`"expand_capabilities":[{"name":"attachments",MANY:"attachments","foreign_key":"message_id"}]},` +
		`{"name":"threads","field_capabilities":{"last":"TIME","subject":"t=text,role=primary-title,lex","message_count":"NUMBER","unread_count":"NUMBER"},` +
		`"expand_capabilities":[{"name":"messages",MANY:"messages","foreign_key":"thread_id"}]},` +
		`{"name":"attachments","field_capabilities":{"file":"TITLE","media_type":"VALUE"}}]},` +
		`{"connector_key":"club","granted_connections":[{"connection_id":"k","display_name":"Club"}],"streams":[` +
		`{"name":"rooms","field_capabilities":{"made":"TIME","member_count":"NUMBER","name":"TITLE"},"expand_capabilities":[{"name":"posts",MANY:"posts","foreign_key":"room_id"}]},` +
		`{"name":"posts","field_capabilities":{"at":"TIME","author":"ACTOR","room_id":"VALUE","text":"t=text,lex","mood":"VALUE"}}]},` +
		`{"connector_key":"hire","granted_connections":[{"connection_id":"h","display_name":"Hire"}],"streams":[` +
		`{"name":"rentals","field_capabilities":{"from_day":"TIME","total":"NUMBER","currency":"VALUE","merchant":"TITLE","status":"VALUE"},` +
		`"expand_capabilities":[{"name":"rental_items",MANY:"rental_items","foreign_key":"rental_id"}]},` +
		`{"name":"rental_items","field_capabilities":{"name":"t=text,role=primary-title,lex"}}]},` +
		`{"connector_key":"diary","granted_connections":[{"connection_id":"d","display_name":"Diary"}],"streams":[` +
		`{"name":"entries","field_capabilities":{"day":"TIME","body":"t=text,role=secondary,lex","language":"VALUE","is_whole_day":"FLAG"}}]}]}`)

// asked answers a search whose hit is a mail of Norwood Power, and whose words are in one stream each.
func asked(missing string) *middlewaretest.RS {
	values := map[string]string{
		"status": `"booked","collected","returned"`, "currency": `"EUR","SEK"`, "merchant": `"Berg and Dal","Nordic Hire"`, "language": `"en","da"`,
		"media_type": `"text/csv","application/pdf"`, "sender": `"Norwood Power","Ada Lund"`, "author": `"Ada Lund","Bo Falk"`, "mood": `"glad","cross"`,
	}
	in := map[string]string{"snow chains": "rental_items", "walruses": "entries", "bills": "messages", "walruses -seals": "entries", "Ada Lund": "messages"}
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch field := r.Query.Get("group_by"); {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(askedSchema), nil
		case r.Query.Get("metric") == "min":
			return middlewaretest.JSON(`{"value":1}`), nil
		case field != "":
			groups := strings.ReplaceAll(values[field], ",", `,"count":2},{"key":`)
			return middlewaretest.JSON(`{"groups":[{"key":` + groups + `,"count":2}]}`), nil
		case r.Path == "/v1/streams/rooms/records":
			return middlewaretest.JSON(`{"object":"list","data":[{"id":"R1","data":{"name":"cellar"}},{"id":"R2","data":{"name":"attic"}}]}`), nil
		case len(r.Query["streams"]) > 0: // whether the stream has the words
			if stream := in[r.Query.Get("q")]; slices.Contains(r.Query["streams"], stream) {
				return middlewaretest.JSON(`{"data":[` + hitAt(stream, "1", "") + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"data":[],"meta":{"count":0}}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"stream":"messages","record_key":"1","connection_id":"p","actor":"Norwood Power"}],` +
			`"meta":{"count":1,"recall":{"partial_count":1,"nearest_words":[{"word":"walrusses","as":["walruses"]}],"missing_words":[` + missing + `]}}}`), nil
	}}
}

// A question is answered with the one call that has all of its parts, whatever their combination; with none if words are left over.
func TestAQuestionGetsOneCallWithAllItsParts(t *testing.T) {
	const amounts = "Numbers in fields are not searched. The records of that stream by their total: "
	const byStatus = `By status, each value and none: aggregate {"stream":"rentals","metric":"count","group_by":"status"}`
	const byAuthor = `By author, the owner's own included: aggregate {"stream":"posts","metric":"count","group_by":"author"`
	const noHour = "No filter selects hours of the day: the time of each record shows it."
	const forEach = `For each, among others: aggregate {"stream":"posts",`
	const parts = `Counted are messages with attachments, of any kind, each of which may have several: aggregate {"stream":"messages","metric":"count","connection_id":"p",`
	const noWeekday = "No search or filter selects days of the week"
	for _, row := range []struct{ q, missing, want string }{
		// who or what has more, or the most
		{"Which thread has the most messages?", "", `The largest of that stream by message_count: query_records {"stream":"threads","sort":"-message_count","limit":1}`},
		{"What is the subject of the longest thread?", "", `query_records {"stream":"threads","sort":"-message_count","limit":1}`},
		{"Who wrote more posts, Ada or Bo?", "", byAuthor + "}"},
		{"Who wrote the most glad posts?", "", byAuthor + `,"filter":{"mood":"glad"}}`},
		{"Did Ada write more posts than Bo?", "", forEach + `"metric":"count","connection_id":"k","group_by":"author"}`},
		{"Hat Ada mehr posts geschrieben als Bo?", "", forEach + `"metric":"count","connection_id":"k","group_by":"author"}`},
		{"How many glad posts did Ada and Bo Falk write?", "", `"connection_id":"k","group_by":"author","filter":{"mood":"glad"}}`},
		{"How many mails from Norwood or Ada did I get in June 2026?", "", `"connection_id":"p","group_by":"sender","filter":{"sent":{"gte":"2026-06-01"`},
		{"How many red mails did Norwood and Ada Lund send?", "", ""},
		{"last mail from Norwood or Ada", "", ""},
		{"first mail from Norwood or from Ada", "", ""},
		{"Did I spend more at Nordic Hire or at Berg and Dal?", "", `"metric":"sum","field":"total","connection_id":"h","group_by":"merchant"}`},
		{"How much did I spend at Nordic Hire and Berg and Dal?", "", `"group_by":"merchant"}`},
		{"How many people are in the cellar room?", "", `member_count of rooms says how many: query_records {"stream":"rooms","fields":["name","member_count"],"filter":{"name":"cellar"}}`},
		{"How many members does the attic room have?", "", `"filter":{"name":"attic"}}`},
		{"How many people posted in the cellar room?", "", byAuthor + `,"filter":{"room_id":"R1"}}`},
		{"Which room is the busiest in the club posts?", "", `By room_id: aggregate {"stream":"posts","metric":"count","connection_id":"k","group_by":"room_id"`},
		{"Which month had the most rentals?", "", `aggregate {"stream":"rentals","metric":"count","group_by_time":"from_day","granularity":"month"}`},
		{"Who is in the cellar room?", "", byAuthor + `,"filter":{"room_id":"R1"}}`},
		// what a record has several of
		{"When was my last rental of snow chains?", "", `In rental_items, which rentals consist of: search {"q":"newest snow chains","streams":["rental_items"]}`},
		{"How many rentals of snow chains?", "", `with how many there are: search {"q":"snow chains","streams":["rental_items"]}`},
		{"last rental of unicorns", "", ""},
		{"Which thread with Ada Lund is the newest?", "", `In messages, which threads consist of: search {"q":"newest Ada Lund","streams":["messages"]}`},
		// values and flags, also denied or in other words
		{"Did I ever return a rental?", `"return"`, `"returned" is a value of status in rentals: query_records {"stream":"rentals","filter":{"status":"returned"}}`},
		{"Which rentals have not arrived yet?", "", byStatus},
		{"Which rentals are still underway?", "", byStatus},
		{"Which entries are not in Danish?", "", `By language, each value and none: aggregate {"stream":"entries","metric":"count","group_by":"language"}`},
		{"Which entries are in Danish?", `"danish"`, `"da" is a value of language in entries: query_records {"stream":"entries","filter":{"language":"da"}}`},
		{"Which whole-day entries are there?", `"whole-day"`, `query_records {"stream":"entries","filter":{"is_whole_day":true}}`},
		{"Which flagged mails are still unread?", `"flagged","unread"`, `query_records {"stream":"messages","filter":{"is_seen":false,"is_flagged":true}}`},
		{"How many unread mails with attachments are flagged?", "", `"metric":"count","filter":{"has_attachments":true,"is_seen":false,"is_flagged":true}}`},
		{"Unread flagged mails from Norwood", "", `"filter":{"sender":"Norwood Power","is_seen":false,"is_flagged":true}}`},
		{"flagged mails that I have not read", `"flagged"`, ""}, // which of the two is denied is not certain
		{"How many returned rentals does each account have?", "", `aggregate {"stream":"rentals","metric":"count","filter":{"status":"returned"}}`},
		// the records of a sender
		{"How many bills did Norwood send?", "", `Of "Norwood Power" alone, with how many there are: search {"q":"bills","streams":["messages"],"connection_id":"p","filter":{"sender":"Norwood Power"}}`},
		{"How many alerts came from Norwood per month?", "", `All of "Norwood Power": aggregate {"stream":"messages","metric":"count","connection_id":"p","group_by_time":"sent","granularity":"month"`},
		{"How many alerts came from Norwood?", "", `All of "Norwood Power": aggregate {"stream":"messages","metric":"count","connection_id":"p","filter":{"sender":"Norwood Power"}}`},
		{"Which of Norwood's mails are larger than 3 bytes?", "", `{"stream":"messages","connection_id":"p","filter":{"sender":"Norwood Power","bytes":{"gt":3}}}`},
		{"How many unread mails are Norwood’s mails in June 2026?", "", `"filter":{"sender":"Norwood Power","is_seen":false,"sent":{`},
		{"How many attachments did Norwood's mails have in June 2026?", "", parts},
		{"Which posts are in answer to Ada's mails?", "", ""},         // not hers
		{"How many crumbs did Ada's mails get in June 2026?", "", ""}, // no field has that
		{"mails from Ada in June 2026", "", `query_records {"stream":"messages","connection_id":"p","filter":{"sender":"Ada Lund","sent":{`},
		{"How many red alerts came from Norwood?", "", ""},
		{"How many mails did I get in June 2026?", "", `Of that stream, the owner's own included: aggregate {"stream":"messages","metric":"count","filter":{"sent":`},
		// a stream with words that it has
		{"Which entries are about walruses?", "", `In that stream alone: search {"q":"walruses","streams":["entries"]}`},
		{"How many entries mention walruses?", "", `In that stream alone, with how many there are: search {"q":"walruses","streams":["entries"]}`},
		{"Are there entries about unicorns?", "", "No record of entries has all of: unicorns."},
		{"Which rentals contain unicorns?", `"contain"`, "No record of rentals, rental_items has all of: unicorns."},
		{"How many mails from Ada Lund mention unicorns?", "", `No record of messages of connection "p" with {"sender":"Ada Lund"} has all of: unicorns.`},
		{"How many posts in the cellar room mention unicorns?", "", `No record of posts with {"room_id":"R1"} has all of: unicorns.`},
		{"When were unicorns mentioned in the cellar room?", "", `No record of posts with {"room_id":"R1"} has all of: unicorns.`},
		{"What was said in the cellar room in May 2026?", "", `query_records {"stream":"posts","filter":{"room_id":"R1","at":{"gte":"2026-05-01","lte":"2026-05-31"}}}`},
		{"Which entries and rentals are about walruses?", "", ""},
		// amounts
		{"rentals between 20 and 30 euros", "", amounts + `query_records {"stream":"rentals","filter":{"total":{"gte":20,"lte":30},"currency":"EUR"}}`},
		{"rentals between €20 and €30", "", `{"total":{"gte":20,"lte":30},"currency":"EUR"}`},
		{"Mietsachen: rentals zwischen 20 und 30 EUR", "", ""}, // another word is left
		{"rentals of 200 euros or more", "", `{"total":{"gte":200},"currency":"EUR"}`},
		{"rentals of at least 200", "", `{"total":{"gte":200}}`},
		{"rentals of at most 200", "", `{"total":{"lte":200}}`},
		{"rentals in euros over 60", "", `{"total":{"gt":60},"currency":"EUR"}`},
		{"returned rentals from Nordic Hire over 60 in 2026", "",
			`"filter":{"merchant":"Nordic Hire","total":{"gt":60},"status":"returned","from_day":{"gte":"2026-01-01","lte":"2026-12-31"}}}`},
		{"rentals over 3 kilometres", "", ""},
		// numbers as words, and how many are asked for
		{"How many threads have more than five messages?", "", `aggregate {"stream":"threads","metric":"count","filter":{"message_count":{"gt":5}}}`},
		{"Threads with at least three messages in June 2026", "", `{"message_count":{"gte":3},"last":{"gte":"2026-06-01","lte":"2026-06-30"}}`},
		{"threads mit mindestens zwölf messages", "", `{"message_count":{"gte":12}}`},
		{"my three latest rentals", "", `The newest 3 of that stream: search {"since":"1970-01-01","streams":["rentals"],"limit":3}`},
		{"the 3 most recent rentals", "", `The newest 3 of that stream: search {"since":"1970-01-01","streams":["rentals"],"limit":3}`},
		{"first five rentals", "", `The oldest 5 of that stream: query_records {"stream":"rentals","order":"asc","limit":5}`},
		{"die drei letzten rentals", "", `"streams":["rentals"],"limit":3}`},
		{"last 4 rentals from Nordic Hire", "", `"limit":4,"filter":{"merchant":"Nordic Hire"}}`},
		{"my three most expensive rentals", "", `The largest 3 of that stream by total: query_records {"stream":"rentals","sort":"-total","limit":3}`},
		{"tres rentals más caros", "", `{"stream":"rentals","sort":"-total","limit":3}`},
		{"Top 5 senders of mail", "", `"group_by":"sender","limit":6}`}, // and the owner
		{"top three merchants by spend", "", `By merchant: aggregate {"stream":"rentals","metric":"sum","field":"total","group_by":"merchant","limit":3}`},
		{"top 3 most expensive rentals", "", `{"stream":"rentals","sort":"-total","limit":3}`},
		{"last 24 hours of rentals", "", ""},
		{"rentals with five stamps", "", ""},
		{"rentals over two hundred euros", "", ""},
		// a misspelled word
		{"Which entries are about walrusses?", `"walrusses"`, `In that stream alone: search {"q":"walruses","streams":["entries"]}`},
		{"newest entry about walrusses", `"walrusses"`, `search {"q":"newest walruses","streams":["entries"]}`},
		// words that are excluded
		{"Which entries are about walruses but not seals?", "", `In that stream alone: search {"q":"walruses -seals","streams":["entries"]}`},
		{"entries about walruses without seals", `"entries"`, `search {"q":"walruses -seals","streams":["entries"]}`},
		{"Welche entries haben walruses aber keine seals?", "", `search {"q":"walruses -seals","streams":["entries"]}`},
		{"entries about walruses without the blue seals", `"entries"`, ""},
		{"entries without seals", `"entries"`, ""},
		{"entries in June about walruses without seals", `"entries"`, ""},
		// files by kind and by sender
		{"How many attachments are CSV files?", "", `aggregate {"stream":"attachments","metric":"count","filter":{"media_type":"text/csv"}}`},
		{"How many PDFs are there?", "", `aggregate {"stream":"attachments","metric":"count","filter":{"media_type":"application/pdf"}}`},
		{"Which PDFs did Norwood Power send me?", "",
			`In messages with attachments, of any kind: query_records {"stream":"messages","connection_id":"p","filter":{"sender":"Norwood Power","has_attachments":true}}`},
		{"How many PDFs did Norwood Power send?", "", parts + `"filter":{"sender":"Norwood Power","has_attachments":true}}`},
		{"How many attachments did Norwood send in June 2026?", "", parts + `"filter":{"sender":"Norwood Power","has_attachments":true,"sent":{`},
		{"How many mails with attachments did Ada Lund send in June 2026?", "", "Of that stream: aggregate"},
		// days of the week, hours, answers
		{"How many rentals were on Sundays?", "", noWeekday},
		{"On which weekday are there the most rentals?", "", `By day, to be added up by day of the week: aggregate {"stream":"rentals","metric":"count","group_by_time":"from_day","granularity":"day"}`},
		{"On which weekday are there the most rentals?", "", noWeekday},
		{"Which rentals are before 9 in the morning in May 2026?", "", noHour},
		{"rentals between midnight and 6 am in May 2026", "", `{"streams":["rentals"],"since":"2026-05-01","until":"2026-05-31"}`},
		{"Wie viele rentals vor 9 Uhr morgens?", "", noHour},
		{"rentals after 18:30", "", noHour},
		{"rentals después de las 9 en mayo de 2026", "", noHour},
		{"At what hour of the day do I get the most mail?", "", "No search or filter selects hours of the day: the time of each record shows it."},
		{"At what hour of the day do I get the most mail?", "", `By hour, to be added up by hour of the day: aggregate {"stream":"messages","metric":"count","group_by_time":"sent","granularity":"hour"}`},
		{"In which hour are there the most rentals in June 2026?", "", `"group_by_time":"from_day","granularity":"hour","filter":{"from_day":{"gte":"2026-06-01","lte":"2026-06-30"}}}`},
		{"Which mails did I not answer?", "", "No field says whether a mail was answered: the messages of its thread show it."},
		{"Who answered the posts?", "", ""},
	} {
		arguments := `{"q":` + rs.EncodeJSON(row.q) + `}`
		result := use(t, tools.PlainSearch("https://rs.example"), asked(row.missing), json.RawMessage(arguments))
		proposes := strings.Contains(result.Text, "aggregate {") || strings.Contains(result.Text, "query_records {") || strings.Contains(result.Text, "search {")
		if !strings.Contains(result.Text, row.want) || row.want == "" && proposes {
			t.Errorf("%s: want %q in\n%s", row.q, row.want, result.Text)
		}
	}
}
