package importer

import (
	"cmp"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

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
