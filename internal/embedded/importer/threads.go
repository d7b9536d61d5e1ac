package importer

import (
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
)

// threads leads messages back to the first message of their thread.
type threads struct {
	before map[string]string    // the message that a message goes back to, by its headers
	begun  map[string]time.Time // when the first message of each Gmail thread was sent
}

func newThreads() threads { return threads{map[string]string{}, map[string]time.Time{}} }

// note remembers which message another one answers, by its header, which need not name the first message of the thread. Gmail numbers its
// threads instead: the earliest message with a number is the first, and answers none.
func (t threads) note(one item.Item) {
	thread := one.String("thread_id")
	if thread == one.ID {
		return
	}
	sent, ok := one.Instant("sent_at")
	first, known := t.before[thread]
	switch isGmail := strings.HasPrefix(thread, mail.GmailThread); {
	case isGmail && first == one.ID: // the same message in another connection
	case !isGmail || known && (!ok || !sent.Before(t.begun[thread])):
		t.before[one.ID] = thread
	default:
		if known {
			t.before[first] = thread
		}
		t.before[thread], t.begun[thread] = one.ID, sent
	}
}

// longestThread is the most answers that are followed back to the first message. Threads with a cycle stay as they are.
const longestThread = 1000

// lead makes the first message of its thread the thread of a message.
func (t threads) lead(one *item.Item) {
	first := one.String("thread_id")
	for range longestThread {
		before, ok := t.before[first]
		if !ok {
			one.Replace("thread_id", item.JSON(first))
			return
		}
		first = before
	}
}
