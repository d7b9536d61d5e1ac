package importer

import (
	"path"
	"strings"

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

// A group is what files share that are parts of one thing.
type group struct {
	folder, stem, part string
	kind               format
	header             string // the first line, where that has to be the same
}

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

// firstLine is that of a file, as far as it can be read.
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

// join makes one stream of the sources of each group, and leaves those of none as they are. A group has a name and, if its records get the
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
