package importer

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
)

// mailboxEnding ends the name of a folder that is a mailbox of Apple Mail, or that holds those below one of Thunderbird.
var mailboxEnding = item.Expression(`(?i)\.(?:mbox|mbx|imapmbox|sbd)$`)

// A mailPlace is a mailbox, and the folder that it is in with others, such as "Archive/2025" in "Mail". An empty mailbox is none.
type mailPlace struct {
	folder, mailbox string
	letters         bool // it is a folder of messages that are a file each, which is by itself what a mailbox is
}

func (p mailPlace) path() string { return path.Join(p.folder, p.mailbox) }

// others is what mailboxes share that are one stream.
func (p mailPlace) others() mailPlace { return mailPlace{folder: p.folder, letters: p.letters} }

// mailboxOf is the mailbox that a file is, or that it is a message of. That of a letter by itself is its folder, which is "." at the top.
func mailboxOf(name string) mailPlace {
	parts := strings.Split(name, "/")
	switch ending := strings.ToLower(path.Ext(name)); {
	case ending == ".eml":
		folder := path.Dir(name)
		return mailPlace{path.Dir(folder), path.Base(folder), true}
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
	return mailPlace{folder: folder, mailbox: path.Join(parts[at:]...)}
}

// mailPlaces are those of the mailboxes, each at the index of its source, and how many there are of those that are one stream.
func (l *lister) mailPlaces() ([]mailPlace, map[mailPlace]int) {
	places, counts := make([]mailPlace, len(l.sources)), map[mailPlace]int{}
	for index, source := range l.sources {
		if name := source.files[0].name; source.format == formatMail && l.holdsMail(name) {
			places[index] = mailboxOf(l.within(name))
		}
	}
	l.placeLetters(places)
	for _, one := range places {
		counts[one.others()]++
	}
	for index, one := range places { // of a Maildir, in which others are
		within := mailPlace{folder: one.path()}
		if one.mailbox != "" && counts[within] > 0 && isMaildir(l.sources[index].files[0].name) {
			counts[one.others()]--
			counts[within]++
			within.mailbox = "Inbox"
			places[index] = within
		}
	}
	return places, counts
}

// placeLetters finds out which folders of letters are one mailbox in several: those that lie beside or in one another.
func (l *lister) placeLetters(places []mailPlace) {
	beside, holds, tops := map[string]int{}, map[string]bool{}, map[string]map[string]int{}
	for _, one := range places {
		if one.letters && one.mailbox != "." {
			beside[one.folder]++
			holds[one.folder] = one.folder != "." || beside["."] > 1 // what lies at the top need not belong together
		}
	}
	for index, one := range places {
		if !one.letters || one.mailbox == "." {
			continue
		}
		at, folder := one.path(), topOf(one.folder, holds)
		if !holds[folder] && holds[at] { // others are in it alone
			folder = at
		}
		one.folder, one.mailbox = folder, cmp.Or(strings.TrimPrefix(strings.TrimPrefix(at, folder), "/"), path.Base(at))
		top, _, _ := strings.Cut(one.mailbox, "/")
		if tops[folder] == nil {
			tops[folder] = map[string]int{}
		}
		tops[folder][top]++
		places[index] = one
	}
	for index, one := range places {
		top, below, _ := strings.Cut(one.mailbox, "/")
		isAlone := len(tops[one.folder]) == 1 // nothing lies beside what holds all of them
		switch {
		case one.letters && one.mailbox == "." && beside["."] == 0:
			places[index] = mailPlace{}
		case one.letters && one.mailbox == ".":
			places[index].mailbox = l.from.name
		case one.letters && isAlone && tops[one.folder][top] > 1:
			places[index] = mailPlace{path.Join(one.folder, top), cmp.Or(below, top), true}
		}
	}
}

// gatherMailboxes makes one stream of the mailboxes of a folder: an answer is in another one than what it answers. Their messages get the
// field "mailbox".
func (l *lister) gatherMailboxes() {
	places, counts := l.mailPlaces()
	var kept []fileStream
	first := map[mailPlace]int{}
	for index, source := range l.sources {
		one := places[index]
		if one.mailbox == "" || counts[one.others()] < 2 {
			kept = append(kept, source)
			continue
		}
		delete(l.taken, source.stream)
		for at := range source.files {
			source.files[at].mailbox = one.mailbox
		}
		if at, known := first[one.others()]; known {
			kept[at].files = append(kept[at].files, source.files...)
			continue
		}
		first[one.others()] = len(kept)
		kept = append(kept, source)
	}
	for _, one := range slices.SortedFunc(maps.Keys(first), func(a, b mailPlace) int { return first[a] - first[b] }) {
		at := first[one]
		kept[at].stream = l.free(streamName(inFolder("messages")(one.folder, "")))
	}
	l.sources = kept
}

// holdsMail reports a message by itself, or an mbox that is one.
func (l *lister) holdsMail(name string) bool {
	if strings.EqualFold(path.Ext(name), ".emlx") || strings.EqualFold(path.Ext(name), ".eml") || isMaildir(name) {
		return true
	}
	start, err := beginning(l.from.fsys, name, startBytes)
	return err == nil && mail.IsMbox("", start)
}
