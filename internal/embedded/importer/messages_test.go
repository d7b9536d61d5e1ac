package importer

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// loaded opens one file and returns its records by stream, as JSON values, and what was left out.
func loaded(t *testing.T, name, text string) (records map[string][]map[string]any, skips []Skip) {
	t.Helper()
	return loadedTree(t, map[string]string{name: text, "zz.jsonl": ""})
}

// loadedTree does the same for several files, some of them in folders.
func loadedTree(t *testing.T, files map[string]string) (records map[string][]map[string]any, skips []Skip) {
	t.Helper()
	corpus, skips := openFolder(t, writeTree(t, files))
	records = map[string][]map[string]any{}
	for _, record := range collectRecords(t, corpus) {
		var data map[string]any
		if err := json.Unmarshal(record.Data, &data); err != nil {
			t.Fatalf("%s: %v", record.Data, err)
		}
		if data["id"] != nil && fmt.Sprint(data["id"]) != record.ID {
			t.Errorf("record %s has the id %v in its data", record.ID, data["id"])
		}
		records[record.Stream] = append(records[record.Stream], data)
	}
	return records, skips
}

// messageOf returns an mbox with one message that has this header and body.
func messageOf(lines ...string) string {
	return "From ada@example.com Mon Mar  2 10:00:00 2026\n" + strings.Join(lines, "\n") + "\n"
}

func TestMailIsReadAsPeopleSeeIt(t *testing.T) {
	tests := []struct {
		name string
		mbox string
		want map[string]any // fields of the first message; nil: the field is missing
	}{
		{
			"a plain message",
			messageOf("Message-ID: <a@x>", "From: Ada <Ada@Example.com>", "To: Bo <bo@x>, cy@x", "Cc: dee@x", "Date: Mon, 2 Mar 2026 10:00:00 +0100", "Subject: Hi", "", "Hello", "", ""),
			map[string]any{
				"id": "a@x", "from_name": "Ada", "from_email": "ada@example.com", "to": []any{"Bo <bo@x>", "cy@x"}, "cc": []any{"dee@x"},
				"sent_at": "2026-03-02T10:00:00+01:00", "subject": "Hi", "body_text": "Hello", "thread_id": "a@x", "has_attachments": false, "defects": nil,
			},
		},
		{
			"a folded header of encoded words in two charsets",
			messageOf("Subject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=", " =?UTF-8?Q?_aus?=", "\t=?iso-8859-1?Q?K=F6ln?=", "From: =?utf-8?B?8J+Yig==?= <s@x>", "", "x"),
			map[string]any{"subject": "Grüße ausKöln", "from_name": "😊"},
		},
		{
			"an encoded word in quotation marks, where it should not be",
			messageOf(`From: "=?utf-8?Q?J=C3=B6rg?=" <j@x>`, `To: "Low, =?iso-8859-1?Q?K=E5re?=" <k@x>, "a =?b" <b@x>`, "", "x"),
			map[string]any{"from_name": "Jörg", "to": []any{"Low, Kåre <k@x>", "a =?b <b@x>"}},
		},
		{
			"raw bytes in a header", messageOf("Subject: caf\xe9 au lait", "From: Jos\xc3\xa9 <j@x>", "", "x"),
			map[string]any{"subject": "café au lait", "from_name": "José"},
		},
		{
			"an invalid address", messageOf("From: undisclosed: recipients", "To: <<broken", "", "x"),
			map[string]any{"from_name": "undisclosed: recipients", "from_email": nil, "to": []any{"<<broken"}},
		},
		{
			"a reply belongs to the thread of the first message",
			messageOf("Message-ID: <c@x>", "References: <a@x>", " <b@x>", "In-Reply-To: <b@x>", "", "x"),
			map[string]any{"id": "c@x", "thread_id": "a@x", "in_reply_to": "b@x"},
		},
		{
			"labels of an export", messageOf("X-Gmail-Labels: =?UTF-8?Q?Posteingang,Wichtig,=22Zu_tun=22?=", "", "x"),
			map[string]any{"labels": []any{"Posteingang", "Wichtig", "Zu tun"}},
		},
		{
			"alternatives: plain text comes before HTML",
			messageOf("Content-Type: multipart/alternative; boundary=b", "", "--b", "Content-Type: text/plain", "", "plain", "--b", "Content-Type: text/html", "", "<b>html</b>", "--b--"),
			map[string]any{"body_text": "plain"},
		},
		{
			"an empty plain text does not hide the HTML",
			messageOf("Content-Type: multipart/alternative; boundary=b", "", "--b", "Content-Type: text/plain", "", " ", "--b", "Content-Type: text/html", "", "<style>p{}</style><p>one&nbsp;two<p>three<br>four<table><tr><td>a<td>b<tr><td>c</table>", "--b--"),
			map[string]any{"body_text": "one two\n\nthree\nfour\n\na b\nc"},
		},
		{
			"nested parts",
			messageOf(`Content-Type: multipart/mixed; boundary="out er"`, "", "preamble", "--out er", `Content-Type: multipart/related; boundary=in`, "", "--in", `Content-Type: multipart/alternative; boundary=deep`, "",
				"--deep", "Content-Type: text/plain; charset=us-ascii", "", "deep", "--deep--", "--in--", "--out er", "", "footer of the list", "--out er--"),
			map[string]any{"body_text": "deep\n\nfooter of the list", "has_attachments": false},
		},
		{
			"a text without a charset that is UTF-8", messageOf("Content-Type: text/plain", "", "naïve 日本"),
			map[string]any{"body_text": "naïve 日本", "defects": []any{"no date; sent_at is when it was delivered"}},
		},
		{
			"a text without a charset that is UTF-8 but for a character that was cut", messageOf("Subject: s", "", "naïve 日本 \xe6\x97"),
			map[string]any{"body_text": "naïve 日本 \ufffd"},
		},
		{
			"a text without a charset that is not UTF-8", messageOf("", "na\xefve \x80 5"), nil,
		},
		{
			"Windows-1252 under the name of ASCII", messageOf("Subject: s", "Content-Type: text/plain; charset=us-ascii", "", "na\xefve \x80 5"),
			map[string]any{"body_text": "naïve € 5"},
		},
		{
			"Japanese in ISO-2022-JP", messageOf("Content-Type: text/plain; charset=iso-2022-jp", "", "\x1b$BF|K\\\x1b(B"),
			map[string]any{"body_text": "日本"},
		},
		{
			"an unknown charset", messageOf("Content-Type: text/plain; charset=x-klingon", "", "nuqneH \xe9"),
			map[string]any{"body_text": "nuqneH é", "defects": []any{"unknown charset x-klingon", "no date; sent_at is when it was delivered"}},
		},
		{
			"text that is not the UTF-8 that it claims", messageOf("Content-Type: text/plain; charset=utf-8", "", "a\xffb"),
			map[string]any{"body_text": "a\ufffdb", "defects": []any{"text that is not UTF-8 as it claims", "no date; sent_at is when it was delivered"}},
		},
		{
			"quoted-printable with a soft line end", messageOf("Content-Transfer-Encoding: Quoted-Printable", "Content-Type: text/plain; charset=iso-8859-15", "", "caf=E9 =A4 long=", "er"),
			map[string]any{"body_text": "café € longer"},
		},
		{
			"broken quoted-printable stays as it is", messageOf("Content-Transfer-Encoding: quoted-printable", "", "100%=\x01\x02 = sure=ZZ"),
			map[string]any{"defects": []any{"broken quoted-printable", "no date; sent_at is when it was delivered"}},
		},
		{
			"base64 is decoded as far as it goes", messageOf("Content-Transfer-Encoding: base64", "", "SGVs", "bG8g*!", "eW91"),
			map[string]any{"body_text": "Hello you", "defects": []any{"broken base64", "no date; sent_at is when it was delivered"}},
		},
		{
			"an invalid content type", messageOf("Content-Type: text/html; charset=iso-8859-1; charset=; name", "", "<p>gr\xfcn</p>"),
			map[string]any{"body_text": "grün"},
		},
		{
			"parts without an end", messageOf("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "kept"),
			map[string]any{"body_text": "kept", "defects": []any{"the last part is cut off", "no date; sent_at is when it was delivered"}},
		},
		{
			"parts without a beginning", messageOf("Content-Type: multipart/mixed; boundary=b", "", "kept as it is"),
			map[string]any{"body_text": "kept as it is", "defects": []any{"parts that cannot be told apart", "no date; sent_at is when it was delivered"}},
		},
		{
			"a line of the header that is not a field", messageOf("Subject: a", "no header at all", " nor this", "To: b@x", "", "body"),
			map[string]any{"subject": "a", "to": []any{"b@x"}, "body_text": "body", "defects": []any{"a line in the header is invalid", "no date; sent_at is when it was delivered"}},
		},
		{
			"a date with a comment, and an invalid one", messageOf("Date: Tue, 3 Mar 2026 01:02:03 -0800 (PST)", "", "x"),
			map[string]any{"sent_at": "2026-03-03T01:02:03-08:00"},
		},
		{
			"lines that begin with From", messageOf("Subject: s", "", "From here on it rains.", "", "From me Mon", "", ">From quoted", ">>From twice", "> From not"),
			map[string]any{"body_text": "From here on it rains.\n\nFrom me Mon\n\nFrom quoted\n>From twice\n> From not"},
		},
		{
			"a separator without a header after it is text", messageOf("Subject: s", "", "as in", "", "From ada@example.com Mon Mar  2 10:00:00 2026", "which begins a message"),
			map[string]any{"body_text": "as in\n\nFrom ada@example.com Mon Mar  2 10:00:00 2026\nwhich begins a message"},
		},
		{
			"a line of a megabyte", messageOf("Subject: s", "", strings.Repeat("x", 1<<20)),
			map[string]any{"body_text": strings.Repeat("x", 1<<20)},
		},
		{
			"without a date, the separator line has the time", messageOf("Subject: s", "", "x"),
			map[string]any{"sent_at": "2026-03-02T10:00:00Z", "defects": []any{"no date; sent_at is when it was delivered"}},
		},
		{
			"a date that cannot be read", messageOf("Date: yesterday", "", "x"),
			map[string]any{"sent_at": "2026-03-02T10:00:00Z", "defects": []any{"a date that cannot be read: yesterday; sent_at is when it was delivered"}},
		},
		{
			"the first receiving server has the time",
			messageOf("Received: from b by c; Tue, 3 Mar 2026 08:00:00 +0000", "Received: from a by b", " (with a comment); Mon, 2 Mar 2026 09:59:58 +0100 (CET)", "", "x"),
			map[string]any{"sent_at": "2026-03-02T09:59:58+01:00"},
		},
		{
			"a separator with a zone", "From 17@xxx Mon Mar 02 10:00:00 +0200 2026\nSubject: s\n\nx\n",
			map[string]any{"sent_at": "2026-03-02T10:00:00+02:00"},
		},
		{
			"without any time", "Subject: s\n\nx\n",
			map[string]any{"sent_at": nil, "defects": []any{"no date"}},
		},
		{
			"CRLF", strings.ReplaceAll(messageOf("Subject: a", " b", "", "one", "two"), "\n", "\r\n"),
			map[string]any{"subject": "a b", "body_text": "one\ntwo"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loaded(t, "mail.mbox", test.mbox)
			if test.want == nil {
				if len(skips) != 1 || skips[0].Reason != "a message without a header" || skips[0].Line != 1 {
					t.Errorf("skips %v", skips)
				}
				return
			}
			if len(skips) > 0 || len(records["mail"]) != 1 {
				t.Fatalf("%d messages, skips %v", len(records["mail"]), skips)
			}
			for name, want := range test.want {
				if diff := cmp.Diff(want, records["mail"][0][name]); diff != "" {
					t.Errorf("%s (-want +got)\n%s", name, diff)
				}
			}
		})
	}
}

func TestAMailboxHasEachMessageOnce(t *testing.T) {
	const second = "From b@x Tue Mar 03 10:00:00 +0000 2026\nSubject: two\n\nb\n"
	tests := []struct {
		name, file, text string
		ids              []string // ids, or subjects of messages without an id
		skips            []Skip
	}{
		{"two messages", "m.mbox", messageOf("Message-ID: <a@x>", "", "a", "") + second, []string{"a@x", "two"}, nil},
		{"no empty line between them", "m.mbox", messageOf("Message-ID: <a@x>", "", "a") + second, []string{"a@x", "two"}, nil},
		{"CRLF", "m.mbx", strings.ReplaceAll(messageOf("Message-ID: <a@x>", "", "a", "")+second, "\n", "\r\n"), []string{"a@x", "two"}, nil},
		{"a file without an extension", "Inbox", messageOf("Message-ID: <a@x>", "", "a", "") + second, []string{"a@x", "two"}, nil},
		{"empty lines first, and a mark", "m.mbox", "\xef\xbb\xbf\n\r\n" + messageOf("Message-ID: <a@x>", "", "a"), []string{"a@x"}, nil},
		{"an empty file", "m.mbox", "", nil, []Skip{{"m.mbox", 0, model.NoRecord}}},
		{
			"a message twice", "m.mbox", messageOf("Message-ID: <a@x>", "", "a", "") + messageOf("Message-ID: <a@x>", "", "a"),
			[]string{"a@x"}, []Skip{{"m.mbox", 6, "the same as at line 1"}},
		},
		{
			"two messages with one id", "m.mbox", messageOf("Message-ID: <a@x>", "", "a", "") + messageOf("Message-ID: <a@x>", "", "b", "") + messageOf("Message-ID: <a@x>", "", "b"),
			[]string{"a@x", "a@x-2"}, []Skip{{"m.mbox", 11, "the same as at line 6"}},
		},
		{
			"a message without a header is skipped", "m.mbox", "From a Mon Mar  2 10:00:00 2026\n\n\n" + messageOf("Message-ID: <b@x>", "", "b"),
			[]string{"b@x"}, []Skip{{"m.mbox", 1, "a message without a header"}},
		},
		{
			"binary garbage", "m.mbox", "\x89PNG\r\n\x1a\x01\xff\xfe",
			nil, []Skip{{"m.mbox", 0, `not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`}},
		},
		{"one message without a separator", "m.eml", "Message-ID: <a@x>\nSubject: s\n\nFrom here\n", []string{"a@x"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loaded(t, test.file, test.text)
			if diff := cmp.Diff(test.skips, skips); diff != "" {
				t.Errorf("skips (-want +got)\n%s", diff)
			}
			var ids []string
			for stream, messages := range records {
				for _, message := range messages {
					id, _ := message["id"].(string)
					if strings.HasPrefix(id, "sha256-") {
						id, _ = message["subject"].(string)
					}
					ids = append(ids, id)
				}
				if stream == "zz" {
					t.Errorf("records in %s", stream)
				}
			}
			if diff := cmp.Diff(test.ids, ids); diff != "" {
				t.Errorf("ids (-want +got)\n%s", diff)
			}
		})
	}
}

func TestAttachmentsReferToTheirMessage(t *testing.T) {
	large := strings.Repeat(base64.StdEncoding.EncodeToString(make([]byte, 57))+"\n", item.MaxBlob/57+1)
	dir := writeFolder(t, map[string]string{"mail.mbox": messageOf(
		"Message-ID: <a@x>", "Date: Mon, 2 Mar 2026 10:00:00 +0000", "Content-Type: multipart/mixed; boundary=b", "",
		"--b", "", "see below",
		"--b", "Content-Type: application/pdf; name=b.pdf", "Content-Disposition: attachment; filename*=UTF-8''%C3%A4.pdf", "Content-Transfer-Encoding: base64", "", "JVBERi0xLjQK",
		"--b", "Content-Type: message/rfc822", "", "Subject: forwarded", "From: Ada <a@x>", "", "text",
		"--b", "Content-Type: video/mp4", `Content-Disposition: attachment; filename="=?utf-8?Q?film=2Emp4?="`, "Content-Transfer-Encoding: base64", "", large+"--b--",
	)})
	corpus, skips := openFolder(t, dir)
	if len(skips) > 0 {
		t.Errorf("skips %v", skips)
	}
	streams := corpus.Connectors[0].Streams
	if len(streams) != 2 || streams[1].Name != "mail_attachments" {
		t.Fatalf("streams %v", streams)
	}
	want := []model.Relation{{Name: "attachments", Target: "mail_attachments", ForeignKey: "message_id", Cardinality: "has_many", DefaultLimit: 10, MaxLimit: 50}}
	if diff := cmp.Diff(want, streams[0].Relations); diff != "" {
		t.Errorf("relations (-want +got)\n%s", diff)
	}
	roles := map[string]string{}
	for _, field := range append(streams[0].Fields, streams[1].Fields...) {
		if field.Role != "" || field.Type == "blob" {
			roles[field.Name] = field.Role + "/" + field.Type
		}
	}
	if diff := cmp.Diff(map[string]string{"sent_at": "event-time/timestamp", "body_text": "secondary/text", "filename": "primary-title/string", "text": "secondary/text", "blob_ref": "/blob"}, roles); diff != "" {
		t.Errorf("roles (-want +got)\n%s", diff)
	}
	var got []string
	for _, record := range collectRecords(t, corpus)[1:] {
		var data struct {
			MessageID   string `json:"message_id"`
			Filename    string
			ContentType string              `json:"content_type"`
			SizeBytes   int                 `json:"size_bytes"`
			BlobRef     *item.BlobReference `json:"blob_ref"`
			Text        string
		}
		if err := json.Unmarshal(record.Data, &data); err != nil {
			t.Fatal(err)
		}
		bytes := "not kept"
		if record.Blob != nil {
			bytes = string(record.Blob.Bytes)
		}
		if (data.BlobRef == nil) != (record.Blob == nil) || data.BlobRef != nil && data.BlobRef.BlobID != record.Blob.ID {
			t.Errorf("%s refers to %v", record.Data, data.BlobRef)
		}
		got = append(got, fmt.Sprint(record.ID, " ", data.MessageID, " ", data.Filename, " ", data.ContentType, " ", data.SizeBytes, " ", bytes, data.Text))
	}
	if diff := cmp.Diff([]string{
		"a@x-a1 a@x ä.pdf application/pdf 9 %PDF-1.4\n",
		"a@x-a2 a@x message.eml message/rfc822 40 Subject: forwarded\nFrom: Ada <a@x>\n\ntextforwarded\nAda <a@x>\n\ntext",
		fmt.Sprint("a@x-a3 a@x film.mp4 video/mp4 ", (item.MaxBlob/57+1)*57, " not kept"),
	}, got); diff != "" {
		t.Errorf("attachments (-want +got)\n%s", diff)
	}
}

func TestMessageFilesOfAFolderAreOneStream(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"a.eml": "Message-ID: <1@x>\n\na", "b.eml": "Message-ID: <2@x>\n\nb", "c.eml": "Message-ID: <1@x>\n\na", "d.eml": "\x00\x01\x02",
	})
	corpus, skips := openFolder(t, dir)
	want := []Skip{
		{"c.eml", 1, "the same as at line 1 of a.eml"},
		{"d.eml", 0, `not mail: it begins neither with a line "From ADDRESS DATE" nor with a header`},
	}
	if diff := cmp.Diff(want, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
	var got []string
	for _, record := range collectRecords(t, corpus) {
		got = append(got, record.Stream+" "+record.ID)
	}
	if diff := cmp.Diff([]string{"messages 1@x", "messages 2@x"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAMessageThatIsTooLongIsPassedOver(t *testing.T) {
	if testing.Short() {
		t.Skip("64 MiB")
	}
	long := messageOf("Message-ID: <long@x>", "", strings.Repeat(strings.Repeat("x", 1023)+"\n", mail.MaxMessage>>10), "")
	records, skips := loaded(t, "m.mbox", long+messageOf("Message-ID: <after@x>", "", "x"))
	if diff := cmp.Diff([]Skip{{"m.mbox", 1, "a message longer than 64 MiB"}}, skips); diff != "" || len(records["m"]) != 1 || records["m"][0]["id"] != "after@x" {
		t.Errorf("%d messages, skips (-want +got)\n%s", len(records["m"]), diff)
	}
}

// FuzzMbox checks that the reader accepts any bytes, returns valid records, returns the same records when it reads again, and that every
// separator of an mbox starts a message or a skip.
func FuzzMbox(f *testing.F) {
	f.Add([]byte(messageOf("Message-ID: <a@x>", "Subject: =?utf-8?Q?a?=", "", "a", "") + messageOf("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "x", "--b--", "")))
	f.Add([]byte("From a Mon Mar  2 10:00:00 2026\n\n\nFrom b Mon Mar  2 10:00:00 2026\r\nTo: <\r\n\r\n"))
	f.Add([]byte("Content-Type: multipart/alternative; boundary=\"\"\nContent-Transfer-Encoding: base64\n\n=="))
	f.Add([]byte(messageOf("Content-Type: text/html; charset=utf-7", "Content-Transfer-Encoding: quoted-printable", "", "<p>=3D=\n<li")))
	f.Fuzz(func(t *testing.T, text []byte) {
		count := scanned(t, fileStream{stream: "m", format: formatMail, idField: "id"}, text)
		if !bytes.HasPrefix(text, []byte("From ")) {
			return
		}
		want := 1
		for at, begin := 0, 0; ; {
			next := bytes.Index(text[at:], []byte("\nFrom "))
			if next < 0 {
				break
			}
			at += next + 1
			line, rest, _ := bytes.Cut(text[at:], []byte("\n"))
			inBody := bytes.Contains(bytes.ReplaceAll(text[begin:at], []byte("\r\n"), []byte("\n")), []byte("\n\n"))
			if mail.Separates(line, rest) && inBody {
				want, begin = want+1, at
			}
		}
		if len(text) < 1<<10 && count != want {
			t.Errorf("%d messages and skips, want %d, in %q", count, want, text)
		}
	})
}

// scanned reads bytes as a file of a kind, checks every record and returns the number of records and skips.
func scanned(t *testing.T, stream fileStream, text []byte) int {
	t.Helper()
	path := writeFile(t, text)
	stream.from = folder{fsys: os.DirFS(filepath.Dir(path))}
	stream.files = []sourceFile{{name: "f", connection: "c"}}
	stream.declared.Name = stream.stream
	count := 0
	if _, err := stream.infer(t.Context(), Watch{Skipped: func(s Skip) {
		if !utf8.ValidString(s.Reason) || s.Reason == "" {
			t.Errorf("skip %q", s.Reason)
		}
		if !strings.Contains(s.Reason, "a stream has at most") && !strings.Contains(s.Reason, "the stream has more than") {
			count++
		}
	}, Kept: func(Skip) {}}, new(int)); err != nil {
		t.Fatal(err)
	}
	first := recordIDs(t, &stream)
	if diff := cmp.Diff(first, recordIDs(t, &stream)); diff != "" {
		t.Errorf("read again (-first +second)\n%s", diff)
	}
	for _, id := range first {
		if strings.HasPrefix(id, stream.stream+"/") || strings.HasPrefix(id, stream.stream+aroundSuffix+"/") {
			count++
		}
	}
	return count
}

// recordIDs checks the records of a stream and returns their ids.
func recordIDs(t *testing.T, stream *fileStream) []string {
	t.Helper()
	var ids []string
	known := map[string]bool{}
	for record, err := range stream.records(t.Context(), "c", &blobBudget{left: maxBlobBytes}, Watch{Skipped: func(Skip) {}, Kept: func(Skip) {}}) {
		if err != nil {
			t.Fatal(err)
		}
		id := record.Stream + "/" + record.ID
		if !json.Valid(record.Data) || !utf8.Valid(record.Data) || !utf8.ValidString(record.ID) || record.ID == "" || known[id] {
			t.Errorf("record %q: %q", id, record.Data)
		}
		known[id] = true
		ids = append(ids, id)
	}
	return ids
}

func writeFile(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
