package importer

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
)

// addNotes makes a stream of each folder that holds notes, with all folders in it: their notes link to one another. So is a vault of
// Obsidian, and a folder of folders whose notes link across them.
func (l *lister) addNotes() {
	holds := map[string]bool{}
	for _, file := range l.notes {
		folder := path.Dir(l.relative(file.name))
		holds[folder] = true
		for folder != "." {
			if folder = path.Dir(folder); l.isVault(folder) {
				holds[folder] = true
			}
		}
	}
	l.joinLinked(holds)
	for _, file := range l.notes {
		top := topOf(path.Dir(l.relative(file.name)), holds)
		l.addTo(folderOr(top, "notes"), formatNotes, file).root = path.Join(l.root, top)
	}
}

func (l *lister) isVault(folder string) bool {
	info, err := fs.Stat(l.from.fsys, path.Join(l.root, folder, ".obsidian"))
	return err == nil && info.IsDir()
}

// topOf is the highest folder around another that holds notes.
func topOf(folder string, holds map[string]bool) string {
	top := folder
	for folder != "." {
		if folder = path.Dir(folder); holds[folder] {
			top = folder
		}
	}
	return top
}

// joinLinked has the folder hold notes that is around others whose notes link to one another, as their beginnings show: a link alone, or
// few of all in it, may lead to a note that has the name by chance. A vault is whole.
func (l *lister) joinLinked(holds map[string]bool) {
	names, all := map[string][]string{}, []string{} // of notes, by the folder that holds them
	for _, file := range l.notes {
		name := l.relative(file.name)
		if top := topOf(path.Dir(name), holds); !l.isVault(top) {
			names[top], all = append(names[top], name), append(all, name)
		}
	}
	if len(names) < 2 {
		return
	}
	others, links, across := document.NewNotes(all), map[string]int{}, map[string]int{}
	own := map[string]document.Notes{}
	for top, these := range names {
		own[top] = document.NewNotes(these)
	}
	for _, file := range l.notes {
		name := l.relative(file.name)
		top := topOf(path.Dir(name), holds)
		start, err := beginning(l.from.fsys, file.name, startBytes)
		if err != nil || own[top] == nil {
			continue
		}
		for _, id := range document.Linked(name, string(start), own[top], others) {
			for folder := name; folder != "."; {
				folder = path.Dir(folder)
				if links[folder]++; id != "" && (folder == "." || strings.HasPrefix(id, folder+"/")) {
					across[folder]++
					id = "" // it leads across one folder, the lowest around both
				}
			}
		}
	}
	for folder, count := range across {
		if count > 1 && 4*count >= links[folder] {
			holds[folder] = true
		}
	}
}
