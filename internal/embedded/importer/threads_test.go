package importer

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A thread stays together if a program names only the message being replied to, or omits the start of a long thread, in any order of the
// messages. Replies to an unknown message, and cycles, are threads by themselves.
func TestThreadsGoBackToTheirFirstMessage(t *testing.T) {
	messages := []string{
		messageOf("Message-ID: <1@x>", "", "first"),
		messageOf("Message-ID: <2@x>", "References: <1@x>", "In-Reply-To: <1@x>", "", "answer"),
		messageOf("Message-ID: <3@x>", "In-Reply-To: <2@x>", "", "answer to the answer"),
		messageOf("Message-ID: <4@x>", "References: <2@x> <3@x>", "", "the beginning is cut"),
		messageOf("Message-ID: <5@x>", "In-Reply-To: <4@x>", "", "last"),
		messageOf("Message-ID: <6@x>", "In-Reply-To: <gone@x>", "", "of a message that is not there"),
		messageOf("Message-ID: <7@x>", "In-Reply-To: <8@x>", "", "in a ring"),
		messageOf("Message-ID: <8@x>", "In-Reply-To: <7@x>", "", "in a ring"),
	}
	want := map[string]string{"1@x": "1@x", "2@x": "1@x", "3@x": "1@x", "4@x": "1@x", "5@x": "1@x", "6@x": "gone@x", "7@x": "8@x", "8@x": "7@x"}
	hasThreads(t, messages, want)
}

// hasThreads checks the threads of messages by their ids, with the messages in both orders.
func hasThreads(t *testing.T, messages []string, want map[string]string) {
	t.Helper()
	for range 2 {
		records, _ := loaded(t, "a.mbox", strings.Join(messages, "\n"))
		got := map[string]string{}
		for _, one := range records["a"] {
			got[fmt.Sprint(one["id"])] = fmt.Sprint(one["thread_id"])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		slices.Reverse(messages)
	}
}

// Messages with the same Gmail thread id are one thread, whatever they refer to, named after the earliest message. Replies in a mailbox
// of another program belong to it.
func TestThreadsOfGmail(t *testing.T) {
	message := func(id, day, number string, more ...string) string {
		lines := append([]string{"Message-ID: <" + id + "@x>", "Date: " + day + " Mar 2026 10:00:00 +0000"}, more...)
		lines = append(lines, "X-GM-THRID: "+number) //nolint:misspell // as Gmail calls it
		return messageOf(append(lines, "", "text")...)
	}
	messages := []string{
		message("3", "3", "17"), message("1", "1", "17"), message("2", "2", "17", "References: <gone@x>"),
		message("4", "4", "18", "References: <1@x>", "Subject: of its own"),
		message("5", "5", "no number", "In-Reply-To: <1@x>"),
		message("6", "6", "", "References: <3@x>"),
	}
	want := map[string]string{"1@x": "1@x", "2@x": "1@x", "3@x": "1@x", "4@x": "4@x", "5@x": "1@x", "6@x": "1@x"}
	hasThreads(t, messages, want)
}

// The same mailbox may be in two connections.
func TestThreadsOfGmailInTwoConnections(t *testing.T) {
	messages := ""
	for _, id := range []string{"1", "2"} {
		messages += messageOf("Message-ID: <"+id+"@x>", "Date: "+id+" Mar 2026 10:00:00 +0000", "X-GM-THRID: 17", "", "text") + "\n" //nolint:misspell // as Gmail calls it
	}
	corpus, _ := openFolder(t, writeTree(t, map[string]string{
		"old/a.mbox": messages, "new/a.mbox": messages,
		"manifest.json": `{"connectors":[{"key":"mail","connections":[{"id":"old"},{"id":"new"}]}]}`,
	}))
	for _, record := range collectRecords(t, corpus) {
		if thread, _ := valueOf(t, record, "thread_id"); thread != "1@x" {
			t.Errorf("%s of %s is in the thread %s", record.ID, record.ConnectionID, thread)
		}
	}
}
