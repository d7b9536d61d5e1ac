package importer

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// listOf returns the texts in a field of a record.
func listOf(t *testing.T, record model.Record, field string) (texts []string) {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(record.Data, &fields); err != nil {
		t.Fatal(err)
	}
	if value, ok := fields[field]; ok {
		if err := json.Unmarshal(value, &texts); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// A message and its reply in two mailboxes are in one stream and one thread.
func TestMailboxesOfAFolderAreOneStream(t *testing.T) {
	question := messageOf("Message-ID: <q@x>", "From: ann@x", "", "Which day?")
	answer := messageOf("Message-ID: <a@x>", "From: ben@x", "In-Reply-To: <q@x>", "", "Monday.")
	letter := func(mbox string) string { _, text, _ := strings.Cut(mbox, "\n"); return text }
	both := func(one, other string) map[string]string { return map[string]string{"q@x": one, "a@x": other} }
	tests := []struct {
		name, stream string
		files        map[string]string
		want         map[string]string // mailboxes, by message
	}{
		{"Thunderbird", "Thunderbird", map[string]string{"Thunderbird/Inbox": question, "Thunderbird/Sent": answer}, both("Inbox", "Sent")},
		{"folders of Thunderbird", "Mail", map[string]string{"Mail/INBOX": question, "Mail/Archive.sbd/Old.sbd/2025": answer}, both("INBOX", "Archive/Old/2025")},
		{"an export of Apple Mail", "Mail", map[string]string{"Mail/INBOX.mbox/mbox": question, "Mail/Sent Messages.mbox/mbox": answer}, both("INBOX", "Sent Messages")},
		{"a folder of Apple Mail", "V10", map[string]string{"V10/INBOX.mbox/1-2/Data/Messages/1.emlx": "90\n" + letter(question), "V10/Sent.mbox/1-2/Data/3/Messages/2.emlx": "90\n" + letter(answer)}, both("INBOX", "Sent")},
		{"a mailbox of Apple Mail alone", "V10_INBOX", map[string]string{"V10/INBOX.mbox/1-2/Data/Messages/1.emlx": "90\n" + letter(question), "V10/INBOX.mbox/1-2/Data/3/Messages/2.emlx": "90\n" + letter(answer)}, both("", "")},
		{"mailboxes in a folder beside one", "Mail", map[string]string{"Mail/Inbox.mbox": question, "Mail/Old/2025.mbox": answer}, both("Inbox", "Old/2025")},
		{"files of mail", "messages", map[string]string{"Inbox.mbox": question, "Gesendet.mbox": answer}, both("Inbox", "Gesendet")},
		{"folders of a Maildir", "Maildir", map[string]string{"Maildir/cur/1.a:2,S": letter(question), "Maildir/Sent/cur/2.a:2,": letter(answer)}, both("Inbox", "Sent")},
		{"folders of a Maildir as mail servers write them", "Maildir", map[string]string{"Maildir/cur/1.a:2,S": letter(question),
			"Maildir/.Archive.2025/new/2.a": letter(answer), ".cache/new/3.a": letter(answer)}, both("Inbox", "Archive/2025")},
		{"the folders of the Maildir that is read", "messages", map[string]string{"cur/1.a:2,S": letter(question), ".Sent/cur/2.a:2,": letter(answer)}, both("Inbox", "Sent")},
		{"Maildirs", "Mail", map[string]string{"Mail/Inbox/cur/1.a:2,S": letter(question), "Mail/Sent/new/2.a": letter(answer)}, both("Inbox", "Sent")},
		{"a mailbox beside another file", "Mail_Inbox", map[string]string{"Mail/Inbox.mbox": question + "\n" + answer, "Mail/Junk.mbox": "x\n", "Mail/Empty.mbox": ""}, both("", "")},
		{"a message in several", "Mail", map[string]string{"Mail/All mail.mbox": question + "\n" + answer, "Mail/Inbox.mbox": question + "\n" + question, "Mail/Starred.mbox": question}, map[string]string{
			"q@x": "All mail, Inbox, Starred", "a@x": "All mail"}},
		{"mailboxes of two people", "Mail", map[string]string{"Mail/ann.mbox": question + "\n" + answer, "Mail/ben.mbox": question}, map[string]string{"q@x": "ann, ben", "a@x": "ann"}},
		{"folders of messages", "Outlook", map[string]string{"Outlook/Inbox/1.eml": letter(question), "Outlook/Sent Items/Ben/2.EML": letter(answer)}, both("Inbox", "Sent Items/Ben")},
		{"folders of messages at the top", "messages", map[string]string{"Inbox/1.eml": letter(question), "Sent/1.eml": letter(answer)}, both("Inbox", "Sent")},
		{"messages beside a folder of messages", "x_Letters", map[string]string{"x/Letters/1.eml": letter(question), "x/Letters/Old/2.eml": letter(answer)}, both("Letters", "Old")},
		{"messages in a mailbox beside another one", "Mail", map[string]string{"Mail/Inbox/1.eml": letter(question), "Mail/Inbox/Ben/2.eml": letter(answer), "Mail/Sent/1.eml": letter(question)}, both("Inbox, Sent", "Inbox/Ben")},
		{"messages at the top and in a folder", "Letters", map[string]string{"Letters/1.eml": letter(question), "Letters/Old/2.eml": letter(answer)}, both("Letters", "Old")},
		{"a message beside a mailbox", "", map[string]string{"Mail/1.eml": letter(question), "Mail/Inbox.mbox": answer}, both("", "")},
		{"an archive of folders of messages", "box", map[string]string{"box.zip": zipOf(t, "Inbox/1.eml", letter(question), "Sent/2.eml", letter(answer))}, both("Inbox", "Sent")},
		{"messages and mailboxes", "", map[string]string{"Mail/Inbox.mbox": question, "Mail/Saved/2.eml": letter(answer)}, both("", "")},
		{"separate folders of messages", "", map[string]string{"a/Inbox/1.eml": letter(question), "b/Inbox/1.eml": letter(answer)}, both("", "")},
		{"messages of one folder", "Mail_Inbox", map[string]string{"Mail/Inbox/1.eml": letter(question), "Mail/Inbox/2.eml": letter(answer)}, both("", "")},
		{"separate folders", "", map[string]string{"a/Inbox.mbox": question, "b/Inbox.mbox": answer}, both("", "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, _ := openFolder(t, writeTree(t, test.files))
			got, threads := map[string]string{}, []string(nil)
			for _, record := range collectRecords(t, corpus) {
				if test.stream != "" && record.Stream != test.stream {
					t.Errorf("a record of the stream %s", record.Stream)
				}
				got[record.ID] = strings.Join(listOf(t, record, "mailbox"), ", ")
				thread, _ := valueOf(t, record, "thread_id")
				threads = append(threads, thread)
			}
			if diff := cmp.Diff(test.want, got); diff != "" || !slices.Equal(threads, []string{"q@x", "q@x"}) {
				t.Errorf("(-want +got)\n%s\nthreads %v", diff, threads)
			}
		})
	}
}

func TestMessagesSayWhetherTheyWereRead(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		want  map[string]any
	}{
		{"read in Thunderbird", map[string]string{"Inbox": messageOf("X-Mozilla-Status: 0001", "", "x")}, map[string]any{"is_seen": true, "is_flagged": false}},
		{"flagged and not read", map[string]string{"Inbox": messageOf("X-Mozilla-Status: 0004", "", "x")}, map[string]any{"is_seen": false, "is_flagged": true}},
		{"read in Mutt", map[string]string{"Inbox": messageOf("Status: RO", "X-Status: AF", "", "x")}, map[string]any{"is_seen": true, "is_flagged": true}},
		{"the status of something else", map[string]string{"Inbox": messageOf("Status: RESOLVED", "", "x")}, map[string]any{"is_seen": nil}},
		{"nothing known", map[string]string{"Inbox": messageOf("To: x", "", "x")}, map[string]any{"is_seen": nil, "is_flagged": nil}},
		{"of a Maildir", map[string]string{"m/cur/1.a:2,FS": "To: x\n\nx"}, map[string]any{"is_seen": true, "is_flagged": true}},
		{"new in a Maildir", map[string]string{"m/new/1.a": "To: x\n\nx"}, map[string]any{"is_seen": false, "is_flagged": false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, _ := loadedTree(t, test.files)
			for _, all := range records {
				for field, want := range test.want {
					if all[0][field] != want {
						t.Errorf("%s is %v, want %v", field, all[0][field], want)
					}
				}
			}
			if len(records) != 1 {
				t.Errorf("records %v", records)
			}
		})
	}
}

// Thunderbird keeps deleted messages in the file until it is compacted: they are not records, and are reported.
func TestMessagesDeletedInThunderbirdAreReported(t *testing.T) {
	of := func(id, status string) string {
		return messageOf("Message-ID: <"+id+"@x>", "X-Mozilla-Status: "+status, "In-Reply-To: <a@x>", "", "Hello.") + "\n"
	}
	records, skips := loadedTree(t, map[string]string{"Inbox": of("a", "0009") + of("b", "0001") + of("c", "000A") + of("d", "1000")})
	var ids []any
	for _, one := range records["Inbox"] {
		ids = append(ids, one["id"])
	}
	if diff := cmp.Diff([]any{"b@x", "d@x"}, ids); diff != "" || len(skips) != 2 || skips[0].Reason != item.Deleted || !item.IsAside(skips[1].Reason) {
		t.Errorf("(-want +got)\n%s\n%v", diff, skips)
	}
}
