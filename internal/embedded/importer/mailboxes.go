package importer

import (
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
)

// mailboxEnding ends the name of a folder that is a mailbox of Apple Mail, or that holds those below one of Thunderbird.
var mailboxEnding = item.Expression(`(?i)\.(?:mbox|mbx|imapmbox|sbd)$`)

// mailboxOf is the mailbox that a file is, or that it is a message of, and the folder of that, such as "Mail" and "Archive/2025". A letter
// by itself is in none.
func mailboxOf(name string) (folder, mailbox string) {
	parts := strings.Split(name, "/")
	switch ending := strings.ToLower(path.Ext(name)); {
	case ending == ".eml":
		return "", ""
	case ending == ".emlx": // a message, perhaps further down
		for len(parts) > 0 && !mailboxEnding().MatchString(parts[len(parts)-1]) {
			parts = parts[:len(parts)-1]
		}
	case ending != ".mbox" && ending != ".mbx" && isMaildir(name):
		parts = parts[:len(parts)-2]
	case len(parts) > 1 && parts[len(parts)-1] == "mbox": // as Apple Mail exports them
		parts = parts[:len(parts)-1]
	}
	if len(parts) == 0 {
		return "", ""
	}
	at := min(slices.IndexFunc(parts, mailboxEnding().MatchString), len(parts)-1)
	if at < 0 {
		at = len(parts) - 1
	}
	folder = path.Join(append([]string{"."}, parts[:at]...)...)
	for index := range parts {
		parts[index] = mailboxEnding().ReplaceAllString(parts[index], "")
	}
	return folder, path.Join(parts[at:]...)
}

// gatherMailboxes makes one stream of the mailboxes of a folder: an answer is in another one than what it answers. Their messages get the
// field "mailbox".
func (l *lister) gatherMailboxes() {
	type place struct{ folder, mailbox string }
	places, counts := make([]place, len(l.sources)), map[string]int{}
	for index, source := range l.sources {
		if source.format == formatMail && l.holdsMail(source.files[0].name) {
			places[index].folder, places[index].mailbox = mailboxOf(l.within(source.files[0].name))
			counts[places[index].folder]++
		}
	}
	for index, one := range places { // of a Maildir, in which others are
		if at := path.Join(one.folder, one.mailbox); one.mailbox != "" && counts[at] > 0 && isMaildir(l.sources[index].files[0].name) {
			places[index] = place{at, "Inbox"}
			counts[one.folder]--
			counts[at]++
		}
	}
	var kept []fileStream
	first := map[string]int{}
	for index, source := range l.sources {
		one := places[index]
		if one.mailbox == "" || counts[one.folder] < 2 {
			kept = append(kept, source)
			continue
		}
		delete(l.taken, source.stream)
		for at := range source.files {
			source.files[at].mailbox = one.mailbox
		}
		if at, known := first[one.folder]; known {
			kept[at].files = append(kept[at].files, source.files...)
			continue
		}
		first[one.folder] = len(kept)
		kept = append(kept, source)
	}
	for folder, at := range first {
		kept[at].stream = l.free(streamName(inFolder("messages")(folder, "")))
	}
	l.sources = kept
}

// holdsMail reports a message by itself, or an mbox that is one.
func (l *lister) holdsMail(name string) bool {
	if strings.EqualFold(path.Ext(name), ".emlx") || isMaildir(name) {
		return true
	}
	start, err := beginning(l.from.fsys, name, startBytes)
	return err == nil && mail.IsMbox("", start)
}
