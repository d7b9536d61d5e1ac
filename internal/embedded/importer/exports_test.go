package importer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Formats specific to a program are read with the meaning that they have there.
func TestFilesAreReadAsTheirProgramsMeanThem(t *testing.T) {
	long := strings.Repeat("x", startBytes)
	tests := []struct {
		name, stream, field string
		files               map[string]string
		want                []any // of the field, by record
	}{
		{"a bookmark with text before and in its description", "a", "description", map[string]string{
			"a.html": "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"http://u\">T</A> first<DD>second</DL>"}, []any{"first\nsecond"}},
		{"empty lines of a card", "a", "addresses", map[string]string{"a.vcf": "BEGIN:VCARD\nFN:Ada\nADR:;;;;;;\nEND:VCARD\n"}, []any{nil}},
		{"the mail addresses of a card at work", "a", "emails_work", map[string]string{"a.vcf": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Bo\r\n" +
			"item1.EMAIL;type=INTERNET;type=WORK;type=pref:bo@work.example\r\nEMAIL;TYPE=home:bo@home.example\r\nEND:VCARD\r\n"},
			[]any{[]any{"bo@work.example"}}},
		{"a mobile phone, of several types in one", "a", "phones_mobile", map[string]string{"a.vcf": "BEGIN:VCARD\nVERSION:4.0\nFN:Bo\n" +
			"TEL;VALUE=uri;TYPE=\"cell,voice\":tel:+1-555\nTEL;TYPE=home:+2\nEND:VCARD\n"}, []any{[]any{"+1-555"}}},
		{"an address at home", "a", "addresses_home", map[string]string{"a.vcf": "BEGIN:VCARD\nFN:Bo\nADR;TYPE=HOME:;;1 St;City;;1;US\n" +
			"ADR;TYPE=WORK:;;2 St;City;;1;US\nEND:VCARD\n"}, []any{[]any{"1 St, City, 1, US"}}},
		{"the routes of workouts are one stream", "export_workout-routes_route", "file", map[string]string{
			"export/workout-routes/route_2026-01-15_9.14am.gpx": "<gpx><trk><trkpt lat='52.5' lon='13.4'><time>2026-01-15T08:14:00Z</time></trkpt></trk></gpx>",
			"export/workout-routes/route_2026-01-17_6.02pm.gpx": "<gpx><trk><trkpt lat='52.5' lon='13.5'><time>2026-01-17T17:02:00Z</time></trkpt></trk></gpx>",
		}, []any{"route_2026-01-15_9.14am.gpx", "route_2026-01-17_6.02pm.gpx"}},
		{"a workout names its route", "export", "routes", map[string]string{"export.xml": "<!DOCTYPE HealthData><HealthData>" +
			`<Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30" durationUnit="min" startDate="2026-01-15 09:14:00 +0100">` +
			`<WorkoutRoute sourceName="Watch"><MetadataEntry key="HKMetadataKeySyncVersion" value="2"/>` +
			`<FileReference path="/workout-routes/route_2026-01-15_9.14am.gpx"/></WorkoutRoute></Workout></HealthData>`},
			[]any{[]any{"route_2026-01-15_9.14am.gpx"}}},
		{"the days of Google Fit are those of its files", "Daily_activity_metrics_2", "date", map[string]string{
			"Daily activity metrics/2026-01-15.csv": "Start time,End time,Step count\n00:00:00.000+01:00,00:15:00.000+01:00,\n" +
				"08:15:00.000+01:00,08:30:00.000+01:00,640\n",
			"Daily activity metrics/2026-01-16.csv":             "Start time,End time,Step count\n00:00:00.000+01:00,00:15:00.000+01:00,7\n",
			"Daily activity metrics/Daily activity metrics.csv": "Date,Step count\n2026-01-15,640\n2026-01-16,\n",
		}, []any{"2026-01-15", "2026-01-15", "2026-01-16"}},
		{"a cell without a time has none in a file of a day", "tasks", "completed_at", map[string]string{
			"tasks/2026-01-15.csv": "task,completed_at\na,2026-01-15T10:00:00Z\nb,\n", "tasks/2026-01-16.csv": "task,completed_at\nc,\n",
		}, []any{"2026-01-15T10:00:00Z", nil, nil}},
		{"a note of Windows", "notes", "title", map[string]string{"a.md": "# A title\r\n\r\ntext\r\n"}, []any{"A title"}},
		{"unseen messages of a Maildir, whose names have 2, elsewhere", "m", "is_seen", map[string]string{
			"m/new/1.host2,S=9": "From: a@x\n\na\n", "m/cur/2.host2,S=9:2,F": "From: a@x\n\nb\n", "m/cur/3.host:2,S": "From: a@x\n\nc\n",
		}, []any{false, true, false}},
		{"objects of long lines", "a", "id", map[string]string{"a.json": fmt.Sprintf(`{"t":%q,"id":1}`+"\n"+`{"t":%[1]q,"id":2}`, long)}, []any{1.0, 2.0}},
		{"a file that Slack deleted", "messages", "files", map[string]string{
			"users.json": "[]", "c/2026-01-15.json": `[{"ts":"1768435200.0001","text":"a","files":[{"id":"F1","mode":"tombstone"}]}]`,
		}, []any{[]any{"F1"}}},
		{"a comment in a document", "documents", "text", map[string]string{"a.odt": zipOf(t, "content.xml",
			"<d><p>one<annotation><creator>Ada</creator><p>why?</p></annotation> two</p></d>")}, []any{"onewhy?\n two"}},
		{"a comment in a document of Word", "documents", "text", map[string]string{"a.docx": zipOf(t, "word/document.xml", "<d><p><t>one</t></p></d>",
			"word/comments.xml", "<c><p><t>why?</t></p></c>")}, []any{"one\nwhy?"}},
		{"statements of days, the day first", "S", "n", map[string]string{"S_15.01.2026.csv": "a,n\nx,1\n", "S_15.02.2026.csv": "a,n\nx,2\n",
			"S_16.02.2026.csv": "a,n\nx,3\n"}, []any{1.0, 2.0, 3.0}},
		{"statements of months", "S", "n", map[string]string{"S_Jan_2025.csv": "a,n\nx,1\n", "S_Jan_2026.csv": "a,n\nx,2\n", "S March 2026.csv": "a,n\nx,3\n"},
			[]any{3.0, 1.0, 2.0}},
		{"a word that begins as a month does", "S_Mars", "n", map[string]string{"S Mars 2025.csv": "a,n\nx,1\n", "S Mars 2026.csv": "a,n\nx,2\n"}, []any{1.0, 2.0}},
		{"a column named like the size of another", "a_t", "d_bytes_2", map[string]string{
			"a.db": dataOf(t, "CREATE TABLE t(d BLOB, d_bytes INTEGER)", "INSERT INTO t VALUES(x'0102', 7)")}, []any{2.0}},
		{"a generated column that is computed", "a_t", "total", map[string]string{
			"a.db": dataOf(t, "CREATE TABLE t(price REAL, n INT, total REAL AS (price * n))", "INSERT INTO t(price, n) VALUES(2.5, 4)")}, []any{10.0}},
		{"a generated column that is stored", "a_t", "label", map[string]string{
			"a.db": dataOf(t, "CREATE TABLE t(n INT, label TEXT AS ('no. ' || n) STORED)", "INSERT INTO t(n) VALUES(4)")}, []any{"no. 4"}},
		{"a name of several pieces", "a", "name", map[string]string{
			"a.kml": "<kml><Placemark><name>A &amp; <!-- c --><![CDATA[B & C]]></name><Point><coordinates>8,47</coordinates></Point></Placemark></kml>"},
			[]any{"A & B & C"}},
		{"a conversation at the top of what is read", "conversations", "conversation", map[string]string{
			"message_1.json": `{"participants":[{"name":"Ada"}],"messages":[{"sender_name":"Ada","timestamp_ms":1768435200000,"content":"a"}]}`,
		}, []any{"001"}},
		{"a number before a month may not be a day", "S_4712", "n", map[string]string{"S_4712-01-2026.csv": "a,n\nx,1\n", "S_4712-02-2026.csv": "a,n\nx,2\n"},
			[]any{1.0, 2.0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeTree(t, test.files))
			var got []any
			for _, record := range collectRecords(t, corpus) {
				var data map[string]any
				if err := json.Unmarshal(record.Data, &data); err != nil {
					t.Fatal(err)
				}
				if strings.Count(string(record.Data), `"`+test.field+`":`) > 1 {
					t.Errorf("%s occurs twice: %s", test.field, record.Data)
				}
				if record.Stream == test.stream {
					got = append(got, data[test.field])
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("skips %v (-want +got)\n%s", skips, diff)
			}
		})
	}
}
