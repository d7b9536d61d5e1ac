package importer

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

// manyFiles is the most files of one kind in a folder that are separate streams. A client reads about each stream, and an index has tables
// for each.
const manyFiles = 50

var (
	// countedName matches what differs in the names of a series of files: numbers and days.
	countedName = item.Expression(`[\d_. -]+`)
	// datedName matches the day or month at the end of a name, as in bank statements and step counts, or the day and time of a route of
	// Apple Health.
	datedName = item.Expression(`(?:[ _.-]*(?:(?:19|20)\d\d[_.-]?(?:0[1-9]|1[0-2])(?:[_.-]?[0-3]\d(?:_\d{1,2}\.\d\d[ap]m)?)?|` +
		`(?:0[1-9]|1[0-2])[_.-](?:19|20)\d\d)|` +
		`(?:^|[ _.-]+)[0-3]\d(?:-(?:0[1-9]|1[0-2])-|\.(?:0[1-9]|1[0-2])\.|_(?:0[1-9]|1[0-2])_)(?:19|20)\d\d)$`)
	// yearName matches a year at the end of a name, perhaps after the name of a month. The year may be that of anything.
	yearName = item.Expression(`(?i)(?:(?:^|[ _.-]+)(?:jan(?:uary?)?|feb(?:ruary?)?|mar(?:ch)?|märz|apr(?:il)?|ma[iy]|jun[ei]?|jul[iy]?|` +
		`aug(?:ust)?|sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?))?[ _.-]*(?:19|20)\d\d$`)
)

// A likeness is a rule by which files of a folder become one stream.
type likeness struct {
	groupOf func(file fileGroup, base string) (group fileGroup, ok bool) // of a file by its name; ok is false if it is in no group
	least   int                                                          // fewest files that make a group
	// The rule holds for min to max files of one kind in a folder. max is 0 if there is no bound.
	min, max int
	single   bool // only files with one record
	// alike, if not nil, returns what the contents of the files have in common; ok is false for a file that is in no group.
	alike func(l *lister, file *fileStream) (same string, ok bool)
}

// likenesses are in the order in which they are tried.
var likenesses = [...]likeness{
	{groupOf: byDay, least: 2},
	{groupOf: byYear, least: 2, alike: (*lister).firstLine},
	{groupOf: byFolder, least: 3, max: manyFiles, single: true, alike: (*lister).soleRecord},
	{groupOf: byNumber, least: 2, min: manyFiles + 1},
	{groupOf: byFolder, least: manyFiles + 1},
	{groupOf: byName, least: manyFiles + 1},
}

// topNames are the names of streams of many files at the top, by their format.
var topNames = map[format]string{formatContacts: "contacts", formatCalendar: "events"}

func byDay(file fileGroup, base string) (fileGroup, bool) {
	file.stem = datedName().ReplaceAllString(base, "")
	return file, file.stem != base && file.kind != formatCalendar && file.kind != formatContacts // each of their exports is complete
}

func byYear(file fileGroup, base string) (fileGroup, bool) {
	file.stem = yearName().ReplaceAllString(base, "")
	return file, file.stem != base && file.kind == formatTable
}

func byNumber(file fileGroup, base string) (fileGroup, bool) {
	file.stem = strings.Trim(countedName().ReplaceAllString(base, "_"), "_")
	return file, true
}

func byFolder(file fileGroup, _ string) (fileGroup, bool) { return file, true }

// byName groups files of the same name in many subfolders, such as the conversations of a chat.
func byName(file fileGroup, base string) (fileGroup, bool) {
	file.folder, file.stem = path.Dir(file.folder), base
	if file.kind == formatDocument { // documents of a folder are one stream already
		file.stem = "documents"
	}
	return file, true
}

func (l *lister) firstLine(file *fileStream) (line string, ok bool) {
	line, _, _ = strings.Cut(l.start(file, startBytes), "\n")
	return strings.TrimSpace(line), true
}

// soleRecord returns what a file with one record has in common with others: the format, and of a JSON object the names of its members. ok
// is false for any other file, for a named calendar, which will get more events, and for an object around a list of objects.
func (l *lister) soleRecord(file *fileStream) (same string, ok bool) {
	const most = 64 << 10 // bytes that are read; a photo may follow
	start := l.start(file, most)
	upper := strings.ToUpper(start)
	switch file.format {
	case formatContacts:
		return "", strings.Count(upper, "BEGIN:VCARD") == 1
	case formatCalendar:
		return "", strings.Count(upper, "BEGIN:VEVENT") == 1 && !strings.Contains(upper, "X-WR-CALNAME")
	}
	object := gjson.Parse(start)
	if file.format != formatArray || !object.IsObject() || !gjson.Valid(start) {
		return "", false
	}
	var names []string
	object.ForEach(func(name, value gjson.Result) bool {
		names, ok = append(names, name.Raw), !value.Get("0").IsObject()
		return ok
	})
	slices.Sort(names)
	return strings.Join(names, ","), ok
}

// start returns the beginning of the first file of a stream, "" if it cannot be read, which is reported when the file is read.
func (l *lister) start(file *fileStream, size int) (start string) {
	_ = guard(func() error {
		bytes, err := beginning(l.from.fsys, file.files[0].name, size)
		start = string(bytes)
		return err
	})
	return start
}

// gather merges the files of each group into one stream. Their records get the field "file".
func (l *lister) gather() {
	for index, like := range likenesses {
		isLast := index == len(likenesses)-1
		kinds, files := make([]fileGroup, len(l.sources)), map[fileGroup]int{} // of each file, and how many files of it are in the folder
		for index, source := range l.sources {
			isSingle := len(source.files) == 1 && ways[source.format].series
			if isSingle || isLast && source.format == formatDocument {
				folder := path.Dir(l.relative(source.files[0].name))
				kinds[index] = fileGroup{folder: folder, kind: source.format, part: path.Join(source.files[0].Part, source.files[0].title())}
				files[kinds[index]]++
			}
		}
		groups, counts := make([]fileGroup, len(l.sources)), map[fileGroup]int{}
		for index, one := range kinds {
			if files[one] < max(like.min, 1) || like.max > 0 && files[one] > like.max {
				continue
			}
			source := &l.sources[index]
			base := path.Base(source.files[0].name)
			group, ok := like.groupOf(one, strings.TrimSuffix(base, path.Ext(base)))
			if ok && like.alike != nil {
				group.same, ok = like.alike(l, source)
			}
			if group.single = like.single; ok {
				groups[index] = group
				counts[group]++
			}
		}
		for index, one := range groups {
			if counts[one] < like.least {
				groups[index] = fileGroup{}
			}
		}
		l.mergeGroups(groups, func(one fileGroup) (name, folder string) {
			name = folderOr(path.Join(one.folder, one.stem), cmp.Or(topNames[one.kind], "files"))
			return path.Join(name, one.part), path.Join(l.root, one.folder) + "/"
		})
	}
}

// addNotes makes a stream of each folder with notes, including its subfolders, because notes link to one another. An Obsidian vault is one
// stream, and so is a folder of folders whose notes link across them.
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

// joinLinked adds to holds each folder whose subfolders have notes that link to one another. It reads the first bytes of each note, and
// needs two such links that are at least a quarter of all links below the folder: others may lead to a note of that name by chance. A vault
// is not joined with other folders.
func (l *lister) joinLinked(holds map[string]bool) {
	names, all := map[string][]string{}, []string{} // of notes, by their top folder
	for _, file := range l.notes {
		name := l.relative(file.name)
		if top := topOf(path.Dir(name), holds); !l.isVault(top) {
			names[top], all = append(names[top], name), append(all, name)
		}
	}
	if len(names) < 2 {
		return
	}
	everyNote, links, across := document.NewNotes(all), map[string]int{}, map[string]int{}
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
		for _, id := range document.Linked(name, string(start), own[top], everyNote) {
			for folder := name; folder != "."; {
				folder = path.Dir(folder)
				if links[folder]++; id != "" && (folder == "." || strings.HasPrefix(id, folder+"/")) {
					across[folder]++
					id = "" // counted once, in the lowest folder above both
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
	groups, counts, around := make([]fileGroup, len(l.sources)), map[fileGroup]int{}, map[fileGroup]string{}
	for index, box := range boxes {
		if box == "" {
			continue
		}
		of := fileGroup{folder: topOf(box, holds), kind: formatMail}
		groups[index] = of
		counts[of]++
		around[of] = cmp.Or(around[of], box)
		for !schema.IsWithin(box, around[of]) {
			around[of] = path.Dir(around[of])
		}
	}
	for index, of := range groups {
		if counts[of] < 2 {
			groups[index] = fileGroup{}
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
	l.mergeGroups(groups, func(of fileGroup) (string, string) { return folderOr(around[of], "messages"), "" })
}

func (l *lister) holdsMail(name string) bool {
	if isMessageFile(name) {
		return true
	}
	start, err := beginning(l.from.fsys, name, startBytes)
	return err == nil && mail.IsMbox("", start)
}
