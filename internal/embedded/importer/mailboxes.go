package importer

import (
	"cmp"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

var (
	// mailboxEnding ends the name of a folder that is an Apple Mail mailbox, or that has the mailboxes below a Thunderbird mailbox.
	mailboxEnding = item.Expression(`(?i)\.(?:mbox|mbx|imapmbox|sbd)(/|$)`)
	// appleMailbox matches the path of the Apple Mail mailbox that a message is in, perhaps in a subfolder.
	appleMailbox = item.Expression(`(?i)^.*\.(?:mbox|imapmbox)/`)
)

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

// gatherMailboxes merges mailboxes that are next to each other or nested into one stream, because an answer is in another mailbox than what
// it answers. Their messages get the field "mailbox". Folders of .eml files (eml) need not be mailboxes and are merged separately.
func (l *lister) gatherMailboxes(eml bool) {
	boxes, holds := make([]string, len(l.sources)), map[string]bool{}
	for index, source := range l.sources {
		name := source.files[0].name
		if isEML := strings.EqualFold(path.Ext(name), ".eml"); source.format != formatMail || isEML != eml || !l.holdsMail(name) {
			continue
		}
		box, holder := mailboxOf(l.relative(name))
		_, again := holds[holder]
		holds[holder] = holder != "." || again // a single one at the top level need not belong with others
		boxes[index] = box
	}
	groups, counts, around := make([]group, len(l.sources)), map[group]int{}, map[group]string{}
	for index, box := range boxes {
		if box == "" {
			continue
		}
		of := group{folder: topOf(box, holds), kind: formatMail}
		groups[index] = of
		counts[of]++
		around[of] = cmp.Or(around[of], box)
		for !schema.IsWithin(box, around[of]) {
			around[of] = path.Dir(around[of])
		}
	}
	for index, of := range groups {
		if counts[of] < 2 {
			groups[index] = group{}
			continue
		}
		files := l.sources[index].files
		name := strings.TrimPrefix(boxes[index], around[of]+"/")
		switch isAround := boxes[index] == around[of]; {
		case isAround && isMaildir(files[0].name):
			name = "Inbox"
		case isAround:
			name = path.Base(folderOr(name, l.from.name))
		}
		for at := range files {
			files[at].mailbox = name
		}
	}
	l.mergeGroups(groups, func(of group) (string, string) { return folderOr(around[of], "messages"), "" })
}

func (l *lister) holdsMail(name string) bool {
	if isMessageFile(name) {
		return true
	}
	start, err := beginning(l.from.fsys, name, startBytes)
	return err == nil && mail.IsMbox("", start)
}
