package importer

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// manyFiles is how many files of one kind a folder may have that are streams by themselves. A client reads about each stream, and an
// index has tables for it.
const manyFiles = 50

// countedName is what the files of a series differ in: numbers, and days.
var countedName = regexp.MustCompile(`[\d_. -]+`)

// gather makes one stream of the files of a folder that are too many to be one each: those whose names differ in numbers alone or, if that
// is not few streams either, all. Their records get the field "file".
func (l *lister) gather() {
	type group struct {
		folder, stem string
		kind         format
	}
	of := func(source fileStream, stem bool) (group, bool) {
		name := l.within(source.files[0].name)
		one := group{folder: path.Dir(name), kind: source.format}
		if stem {
			one.stem = strings.Trim(countedName.ReplaceAllString(strings.TrimSuffix(path.Base(name), path.Ext(name)), "_"), "_")
		}
		return one, len(source.files) == 1 && slices.Contains([]format{formatLines, formatArray, formatTable, formatCalendar, formatContacts, formatChat}, source.format)
	}
	for _, stem := range []bool{true, false} {
		counts, stems, at := map[group]int{}, map[group]int{}, map[group]int{}
		for _, source := range l.sources {
			if one, ok := of(source, false); ok {
				counts[one]++
			}
			if one, ok := of(source, stem); ok {
				stems[one]++
			}
		}
		var kept []fileStream
		for _, source := range l.sources {
			one, single := of(source, stem)
			switch first, known := at[one]; {
			case !single || counts[group{folder: one.folder, kind: one.kind}] <= manyFiles || stems[one] == 1:
				kept = append(kept, source)
			case known:
				kept[first].files = append(kept[first].files, source.files...)
			default:
				delete(l.taken, source.stream)
				at[one] = len(kept)
				name := strings.TrimPrefix(path.Join(one.folder, one.stem), "./")
				if name == "." || name == "" {
					name = "files"
				}
				source.stream, source.gathered = l.free(streamName(name)), true
				kept = append(kept, source)
			}
		}
		l.sources = kept
	}
}
