package importer

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A question and its answer are in two mailboxes, and in one stream and thread.
func TestMailboxesOfAFolderAreOneStream(t *testing.T) {
	question := letterOf("Message-ID: <q@x>", "From: ann@x", "", "Which day?")
	answer := letterOf("Message-ID: <a@x>", "From: ben@x", "In-Reply-To: <q@x>", "", "Monday.")
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
		{"files of mail", "messages", map[string]string{"Inbox.mbox": question, "Gesendet.mbox": answer}, both("Inbox", "Gesendet")},
		{"folders of a Maildir", "Maildir", map[string]string{"Maildir/cur/1.a:2,S": letter(question), "Maildir/Sent/cur/2.a:2,": letter(answer)}, both("Inbox", "Sent")},
		{"Maildirs", "Mail", map[string]string{"Mail/Inbox/cur/1.a:2,S": letter(question), "Mail/Sent/new/2.a": letter(answer)}, both("Inbox", "Sent")},
		{"one beside what is none", "Mail_Inbox", map[string]string{"Mail/Inbox.mbox": question + "\n" + answer, "Mail/Junk.mbox": "x\n", "Mail/Empty.mbox": ""}, both("", "")},
		{"folders of their own", "", map[string]string{"a/Inbox.mbox": question, "b/Inbox.mbox": answer}, both("", "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, _ := openFolder(t, writeTree(t, test.files))
			got, threads := map[string]string{}, []string(nil)
			for _, record := range collectRecords(t, corpus) {
				if test.stream != "" && record.Stream != test.stream {
					t.Errorf("a record of the stream %s", record.Stream)
				}
				got[record.ID], _ = valueOf(t, record, "mailbox")
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
		{"read in Thunderbird", map[string]string{"Inbox": letterOf("X-Mozilla-Status: 0001", "", "x")}, map[string]any{"is_seen": true, "is_flagged": false}},
		{"marked and not read", map[string]string{"Inbox": letterOf("X-Mozilla-Status: 0004", "", "x")}, map[string]any{"is_seen": false, "is_flagged": true}},
		{"read in Mutt", map[string]string{"Inbox": letterOf("Status: RO", "X-Status: AF", "", "x")}, map[string]any{"is_seen": true, "is_flagged": true}},
		{"the status of something else", map[string]string{"Inbox": letterOf("Status: RESOLVED", "", "x")}, map[string]any{"is_seen": nil}},
		{"nothing known", map[string]string{"Inbox": letterOf("To: x", "", "x")}, map[string]any{"is_seen": nil, "is_flagged": nil}},
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
