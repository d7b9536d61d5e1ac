package importer

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
)

// mailboxEnding ends the name of a folder that is a mailbox of Apple Mail, or that holds those below one of Thunderbird.
var mailboxEnding = item.Expression(`(?i)\.(?:mbox|mbx|imapmbox|sbd)$`)

// A mailPlace is a mailbox, and the folder that it is in with others, such as "Archive/2025" in "Mail". An empty mailbox is none.
type mailPlace struct{ folder, mailbox string }

func (p mailPlace) path() string { return path.Join(p.folder, p.mailbox) }

// mailboxOf is the mailbox that a file is, or that it is a message of. That of a letter by itself is its folder, which is "." at the top.
func mailboxOf(name string) mailPlace {
	parts := strings.Split(name, "/")
	switch ending := strings.ToLower(path.Ext(name)); {
	case isLetter(name):
		folder := path.Dir(name)
		return mailPlace{path.Dir(folder), path.Base(folder)}
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
		return mailPlace{}
	}
	at := min(slices.IndexFunc(parts, mailboxEnding().MatchString), len(parts)-1)
	if at < 0 {
		at = len(parts) - 1
	}
	folder := path.Join(append([]string{"."}, parts[:at]...)...)
	for index := range parts {
		parts[index] = mailboxEnding().ReplaceAllString(parts[index], "")
	}
	return mailPlace{folder, path.Join(parts[at:]...)}
}

// isLetter reports a message by itself, whose folder is its mailbox.
func isLetter(name string) bool { return strings.EqualFold(path.Ext(name), ".eml") }

// mailPlaces are those of the mailboxes, each at the index of its source, and how many a folder has.
func (l *lister) mailPlaces() ([]mailPlace, map[string]int) {
	places, counts, letters, holders := make([]mailPlace, len(l.sources)), map[string]int{}, map[string]bool{}, map[string]int{}
	for index, source := range l.sources {
		if name := source.files[0].name; source.format == formatMail && l.holdsMail(name) {
			one := mailboxOf(l.within(name))
			places[index] = one
			if isLetter(name) && one.mailbox != "." {
				letters[one.path()] = true
				holders[one.folder]++
			}
		}
	}
	isHolder, tops := map[string]bool{}, map[string]map[string]bool{}
	for folder, count := range holders {
		isHolder[folder] = folder != "." || count > 1 // what lies at the top need not belong together
	}
	for index, one := range places {
		if letters[one.path()] { // a folder of letters may be in another, as one mailbox is in another
			folder := topOf(one.folder, isHolder)
			one = mailPlace{folder, strings.TrimPrefix(strings.TrimPrefix(one.path(), folder), "/")}
			places[index] = one
		}
		if one.mailbox != "" {
			top, _, _ := strings.Cut(one.mailbox, "/")
			if tops[one.folder] == nil {
				tops[one.folder] = map[string]bool{}
			}
			tops[one.folder][top] = true
			counts[one.folder]++
		}
	}
	for index, one := range places {
		top, below, _ := strings.Cut(one.mailbox, "/")
		at := one.path()
		isTop := letters[at] || isMaildir(l.sources[index].files[0].name)
		switch {
		case one.mailbox == "":
			continue
		case one.mailbox == ".":
			if places[index].mailbox = l.from.name; holders["."] == 0 { // it lies there by itself
				places[index] = mailPlace{}
			}
		case isTop && counts[at] > 0: // others are in it
			places[index] = mailPlace{at, "Inbox"}
			if letters[at] {
				places[index].mailbox = path.Base(at)
			}
		case letters[at] && len(tops[one.folder]) == 1: // nothing lies beside it
			places[index] = mailPlace{path.Join(one.folder, top), cmp.Or(below, top)}
		}
	}
	clear(counts)
	for _, one := range places {
		if one.mailbox != "" {
			counts[one.folder]++
		}
	}
	return places, counts
}

// gatherMailboxes makes one stream of the mailboxes of a folder: an answer is in another one than what it answers. Their messages get the
// field "mailbox".
func (l *lister) gatherMailboxes() {
	places, counts := l.mailPlaces()
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
	if strings.EqualFold(path.Ext(name), ".emlx") || isLetter(name) || isMaildir(name) {
		return true
	}
	start, err := beginning(l.from.fsys, name, startBytes)
	return err == nil && mail.IsMbox("", start)
}
