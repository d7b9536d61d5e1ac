package importer

import (
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// manyFiles is how many files of one kind a folder may have that are streams by themselves. A client reads about each stream, and an
// index has tables for it.
const manyFiles = 50

// countedName is what the files of a series differ in: numbers, and days.
var countedName = item.Expression(`[\d_. -]+`)

// datedName ends with the day or the month that a file is of, as those of steps and of statements do.
var datedName = item.Expression(`[ _.-]*(?:19|20)\d\d(?:-(?:0[1-9]|1[0-2])(?:-[0-3]\d)?|(?:0[1-9]|1[0-2])[0-3]\d)$`)

// gather makes one stream of the files of a folder that are parts of one thing: those whose names differ in a day or a month alone; of
// those that are too many to be one each, the ones whose names differ in numbers alone or, if that is not few streams either, all; and of
// files that have one name in many folders of a folder, as each conversation of a chat has. Their records get the field "file".
func (l *lister) gather() {
	type group struct {
		folder, stem, part string
		kind               format
	}
	type shared int
	const (
		folder shared = iota
		day
		stem
		name
	)
	of := func(source fileStream, by shared) (group, bool) {
		file := l.within(source.files[0].name)
		one := group{folder: path.Dir(file), kind: source.format, part: source.files[0].part}
		switch base := strings.TrimSuffix(path.Base(file), path.Ext(file)); by {
		case day:
			one.stem = datedName().ReplaceAllString(base, "")
			if one.stem == base || source.format == formatCalendar || source.format == formatContacts { // those are whole each time
				return one, false
			}
		case stem:
			one.stem = strings.Trim(countedName().ReplaceAllString(base, "_"), "_")
		case name:
			one.folder, one.stem = path.Dir(one.folder), base
		}
		if by == name && source.format == formatDocument { // those of a folder are one stream already
			one.stem = "documents"
			return one, true
		}
		return one, len(source.files) == 1 && ways[source.format].series
	}
	for _, by := range []shared{day, stem, folder, name} {
		counts, stems, at := map[group]int{}, map[group]int{}, map[group]int{}
		for _, source := range l.sources {
			if one, ok := of(source, folder); ok {
				counts[one]++
			}
			if one, ok := of(source, by); ok {
				stems[one]++
			}
		}
		var kept []fileStream
		for _, source := range l.sources {
			one, single := of(source, by)
			many := counts[group{folder: one.folder, kind: one.kind, part: one.part}]
			if by == name {
				many = stems[one]
			}
			if by == day {
				many = manyFiles + 1
			}
			switch first, known := at[one]; {
			case !single || many <= manyFiles || stems[one] == 1:
				kept = append(kept, source)
			case known:
				kept[first].files = append(kept[first].files, source.files...)
			default:
				delete(l.taken, source.stream)
				at[one] = len(kept)
				called := strings.TrimPrefix(path.Join(one.folder, one.stem), "./")
				if called == "." || called == "" {
					called = "files"
				}
				called = path.Join(called, one.part)
				source.stream, source.gathered = l.free(streamName(called)), path.Join(l.root, one.folder)+"/"
				kept = append(kept, source)
			}
		}
		l.sources = kept
	}
}
