package importer

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// manyFiles is how many files of one kind a folder may have that are streams by themselves. A client reads about each stream, and an
// index has tables for it.
const manyFiles = 50

var (
	// countedName is what the files of a series differ in: numbers, and days.
	countedName = item.Expression(`[\d_. -]+`)
	// datedName ends with the day or the month that a file is of, as those of steps and of statements do.
	datedName = item.Expression(`(?:[ _.-]*(?:(?:19|20)\d\d[_.-]?(?:0[1-9]|1[0-2])(?:[_.-]?[0-3]\d)?|(?:0[1-9]|1[0-2])[_.-](?:19|20)\d\d)|` +
		`(?:^|[ _.-]+)[0-3]\d(?:-(?:0[1-9]|1[0-2])-|\.(?:0[1-9]|1[0-2])\.|_(?:0[1-9]|1[0-2])_)(?:19|20)\d\d)$`)
	// yearName ends with the year, which may be that of anything, perhaps behind the name of a month.
	yearName = item.Expression(`(?i)(?:(?:^|[ _.-]+)(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|märz|apr(?:il)?|ma[iy]|jun[ei]?|jul[iy]?|` +
		`aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?))?[ _.-]*(?:19|20)\d\d$`)
)

// likenesses are the rules by which files of a folder are one stream, in the order in which they are tried. Their names differ in a day or
// a month alone; or in a year, if they are tables of the same columns; or in numbers, in a folder of too many files; or in anything, if
// there are still too many; or in nothing, if they are in many folders of a folder, as each conversation of a chat is.
var likenesses = [...]struct {
	of      func(one *group, base string) bool // completes a group; false: the file is in none
	least   int                                // how many files make a group
	crowded bool                               // in a folder of too many
	alike   bool                               // they begin with the same line
}{
	{of: func(one *group, base string) bool {
		one.stem = datedName().ReplaceAllString(base, "")
		return one.stem != base && one.kind != formatCalendar && one.kind != formatContacts // those are whole each time
	}, least: 2},
	{of: func(one *group, base string) bool {
		one.stem = yearName().ReplaceAllString(base, "")
		return one.stem != base && one.kind == formatTable
	}, least: 2, alike: true},
	{of: func(one *group, base string) bool {
		one.stem = strings.Trim(countedName().ReplaceAllString(base, "_"), "_")
		return true
	}, least: 2, crowded: true},
	{of: func(*group, string) bool { return true }, least: manyFiles + 1},
	{of: func(one *group, base string) bool {
		if one.folder, one.stem = path.Dir(one.folder), base; one.kind == formatDocument { // those of a folder are one stream already
			one.stem = "documents"
		}
		return true
	}, least: manyFiles + 1},
}

func (l *lister) firstLine(name string) (line string) {
	_ = guard(func() error { // its reader says so
		start, err := beginning(l.from.fsys, name, startBytes)
		line, _, _ = strings.Cut(string(start), "\n")
		return err
	})
	return strings.TrimSpace(line)
}

// gather makes one stream of the files of each group. Their records get the field "file".
func (l *lister) gather() {
	for index, like := range likenesses {
		isLast := index == len(likenesses)-1
		groups, counts, crowds := make([]group, len(l.sources)), map[group]int{}, map[group]int{}
		for index, source := range l.sources {
			file := l.relative(source.files[0].name)
			one := group{folder: path.Dir(file), kind: source.format, part: source.files[0].called()}
			if isSingle := len(source.files) == 1 && ways[source.format].series; isSingle || isLast && source.format == formatDocument {
				crowds[one]++
				if like.of(&one, strings.TrimSuffix(path.Base(file), path.Ext(file))) {
					if like.alike {
						one.header = l.firstLine(source.files[0].name)
					}
					groups[index] = one
					counts[one]++
				}
			}
		}
		for index, one := range groups {
			crowd := group{folder: one.folder, kind: one.kind, part: one.part}
			if counts[one] < like.least || like.crowded && crowds[crowd] <= manyFiles {
				groups[index] = group{}
			}
		}
		l.mergeGroups(groups, func(one group) (name, folder string) {
			name = folderOr(path.Join(one.folder, one.stem), "files")
			return path.Join(name, one.part), path.Join(l.root, one.folder) + "/"
		})
	}
}

// mergeGroups makes one stream of the sources of each group, and leaves those of none as they are. A group has a name and, if its records get the
// field "file", the folder of its files.
func (l *lister) mergeGroups(groups []group, describe func(group) (name, folder string)) {
	for index, source := range l.sources {
		if groups[index] != (group{}) {
			delete(l.taken, source.stream)
		}
	}
	var kept []fileStream
	places := map[group]int{}
	for index, source := range l.sources {
		one := groups[index]
		at, known := places[one]
		switch {
		case one == group{}:
			kept = append(kept, source)
		case known:
			kept[at].files = append(kept[at].files, source.files...)
		default:
			places[one] = len(kept)
			name, folder := describe(one)
			source.stream, source.gathered = l.free(streamName(name)), folder
			kept = append(kept, source)
		}
	}
	l.sources = kept
}

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
