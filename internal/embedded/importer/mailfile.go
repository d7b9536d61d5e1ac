package importer

import (
	"cmp"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
)

var (
	// mailboxEnding ends the name of a folder that is an Apple Mail mailbox, or that has the mailboxes below a Thunderbird mailbox.
	mailboxEnding = item.Expression(`(?i)\.(?:mbox|mbx|imapmbox|sbd)(/|$)`)
	// appleMailbox matches the path of the Apple Mail mailbox that a message is in, perhaps in a subfolder.
	appleMailbox = item.Expression(`(?i)^.*\.(?:mbox|imapmbox)/`)
)

func isMessageFile(name string) bool {
	ending := strings.ToLower(path.Ext(name))
	return ending == ".eml" || ending == ".emlx" || ending != ".mbox" && ending != ".mbx" && isMaildir(name)
}

// isMaildir reports a message of a Maildir: a file with a dot in its name in the folder "cur" or "new". Its extension may show another
// format.
func isMaildir(name string) bool {
	folder := path.Base(path.Dir(name))
	return (folder == "cur" || folder == "new") && strings.Contains(path.Base(name), ".")
}

func looseMessages(name string) string {
	if !isMessageFile(name) {
		return ""
	}
	box, _ := mailboxOf(name)
	return folderOr(box, "messages")
}

// mailboxOf returns the mailbox that a file is or is a message of, and the folder that has this mailbox among others: "Mail/Archive/2025"
// and "Mail" for the file "Mail/Archive.sbd/2025".
func mailboxOf(name string) (box, holder string) {
	box = name
	switch ending := strings.ToLower(path.Ext(name)); {
	case ending == ".emlx":
		box = cmp.Or(strings.TrimSuffix(appleMailbox().FindString(name), "/"), path.Dir(name))
	case ending == ".eml", path.Base(name) == "mbox" && path.Dir(name) != ".": // as Apple Mail exports mailboxes
		box = path.Dir(name)
	case isMessageFile(name):
		box = path.Dir(path.Dir(name))
	}
	holder = box
	if first := mailboxEnding().FindStringIndex(box); first != nil {
		holder = box[:first[0]]
	}
	if folders, ok := strings.CutPrefix(path.Base(box), "."); ok && folders != "" { // ".Archive.2025" in a Maildir
		box = path.Join(path.Dir(box), strings.ReplaceAll(folders, ".", "/"))
	}
	return mailboxEnding().ReplaceAllString(box, "$1"), path.Dir(holder)
}

// maildirFlags matches the flags at the end of the file name of a Maildir message: "1700.host2,S=4321:2,FS".
var maildirFlags = item.Expression(`[\W_]2,([A-Za-z]*)$`)

const seenField, flaggedField = "is_seen", "is_flagged"

// putFlags adds the flags of a Maildir message, which are in the name of its file.
func putFlags(one *item.Item, name string) {
	if _, known := one.Value(seenField); known || !isMaildir(name) {
		return
	}
	flags := maildirFlags().FindString(name)
	one.Put(seenField, strings.Contains(flags, "S"))
	one.Put(flaggedField, strings.Contains(flags, "F"))
}

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
