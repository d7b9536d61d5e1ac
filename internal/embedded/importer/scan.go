package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/document"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// scan calls visit for each record of a connection, or of all connections if that is empty, until visit returns false. It calls report for
// each piece that is not a record.
func (s *fileStream) scan(ctx context.Context, connection string, report func(Skip), visit func(sourceFile, item.Item) bool) error {
	known, budget := map[string]knownIDs{}, &recordBudget{free: freeRecords, mostPieces: maxRecords}
	for _, file := range s.files {
		if connection != "" && file.connection != connection {
			continue
		}
		ids, begun := known[file.connection]
		if !begun {
			ids = knownIDs{map[string]int32{}, map[string]knownContent{}}
			known[file.connection] = ids
		}
		more, err := s.scanFile(ctx, file, ids, budget, report, visit)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *fileStream) scanFile(ctx context.Context, file sourceFile, ids knownIDs, budget *recordBudget, report func(Skip),
	visit func(sourceFile, item.Item) bool) (more bool, err error) {
	var secrets item.Secrets
	budget.begin(file, s)
	defer budget.end(file)
	for one, err := range s.read(ctx, file) {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("read stream %s: %w", s.stream, err)
		}
		if budget.pieces++; budget.pieces > budget.mostPieces {
			report(Skip{File: file.name, Reason: fmt.Sprintf("what follows is left out: a file has at most %d records", budget.mostPieces)})
			return true, nil
		}
		if err != nil {
			report(unreadable(file, err, budget.pieces == 1))
			continue
		}
		secrets.TakeOut(&one)
		s.complete(&one, file)
		if !s.distinct && one.Place == "" { // a distinct stream has no repeated ids
			if reason := s.admit(&one, file, ids); reason != "" {
				report(Skip{File: file.name, Line: one.Line, Reason: reason})
				continue
			}
		}
		if !budget.spend(one) {
			report(Skip{File: file.name, Reason: fmt.Sprintf("what follows is left out: the records say more than %d times its size, "+
				"as it repeats what it says once", budget.times)})
			return true, nil
		}
		if !visit(file, one) {
			return false, nil
		}
	}
	isWhole := file.piece == (piece{}) && ways[s.format].conversation == nil // and of a format whose files have no further record
	if budget.pieces == 0 && isWhole {
		report(Skip{File: file.name, Reason: model.NoRecord})
	}
	return true, nil
}

// unreadable says that a piece of a file, or all of it from there on, cannot be read.
func unreadable(file sourceFile, err error, isFirst bool) Skip {
	if bad, ok := errors.AsType[item.UnusableError](err); ok {
		return Skip{File: file.name, Line: bad.Line, Reason: bad.Reason}
	}
	if isFirst {
		return Skip{File: file.name, Reason: "cannot be read: " + item.Reason(err)}
	}
	return Skip{File: file.name, Reason: "cannot be read on: " + item.Reason(err)}
}

// complete gives a record its id, and the fields that come from the name of its file.
func (s *fileStream) complete(one *item.Item, file sourceFile) {
	otherwise := ""
	if base := path.Base(file.name); s.single {
		otherwise = strings.TrimSuffix(base, path.Ext(base))
	}
	one.Identify(s.idField, otherwise)
	if _, taken := one.Value("file"); s.gathered != "" && !taken {
		name, ok := strings.CutPrefix(file.name, s.gathered)
		if !ok { // of another connection
			name = path.Base(name)
		}
		one.Fields, one.Text = append([]item.Field{{Name: "file", Value: item.JSON(name)}}, one.Fields...), nil
		one.Day = cmp.Or(one.Day, document.DayOf(name)) // as in the daily tables of Google Fit
	}
	if s.format == formatMail {
		putFlags(one, file.name)
	}
	one.TakeEmitted(s.declared.EmittedField)
}

// admit accepts a record, or returns the reason why it is left out. A message that is in several mailboxes lists all of them.
func (s *fileStream) admit(one *item.Item, file sourceFile, ids knownIDs) (reason string) {
	original := one.ID
	reason = ids.admit(one, file.name, ways[s.format].attached.key)
	switch place := file.connection + " " + one.ID; {
	case file.mailbox == "":
	case reason != "":
		s.copies[place] = append(s.copies[place], file.mailbox)
	default:
		one.Put("mailbox", slices.Compact(slices.Sorted(slices.Values(append(s.copies[place], file.mailbox)))))
	}
	s.repeated = s.repeated || reason == "" && one.Content == "" && one.ID != original
	return reason
}

// knownIDs are the ids of a stream, with how often each was repeated. For most records nothing else is remembered: there may be millions.
type knownIDs struct {
	repeats  map[string]int32
	contents map[string]knownContent // messages and events, which may be copies, by id and content
}

type knownContent struct {
	file string
	line int
	id   string
}

// admit accepts a record, or returns the reason why it is left out: it is a copy of a message or an event. Any other record whose id is
// taken gets a numbered id, because mail servers do give two messages one id, and the "id" of a row may be that of an account.
func (k knownIDs) admit(one *item.Item, file, key string) (reason string) {
	base := one.ID
	if known, copied := k.contents[base+" "+one.Content]; copied {
		place := fmt.Sprintf("at line %d", known.line)
		if known.file != file {
			place += " of " + known.file
		}
		one.ID = known.id
		return item.SameAs + place
	}
	repeats, taken := k.repeats[base]
	for number := repeats + 2; taken; number++ { // lower numbers are taken
		k.repeats[base] = number - 1
		one.ID = fmt.Sprintf("%s-%d", base, number)
		_, taken = k.repeats[one.ID]
	}
	k.repeats[one.ID] = 0
	if one.Content != "" {
		k.contents[base+" "+one.Content] = knownContent{file: file, line: one.Line, id: one.ID}
	}
	fillIDs(one, key)
	return ""
}

// fillIDs writes the id into a record whose format has no field for it, and into its attachments.
func fillIDs(i *item.Item, key string) {
	if i.Content != "" {
		i.Fields = append([]item.Field{{Name: "id", Value: item.JSON(i.ID)}}, i.Fields...)
	}
	for index := range i.Attached {
		file := &i.Attached[index]
		file.ID = fmt.Sprintf("%s-a%d", i.ID, index+1)
		file.Fields = append([]item.Field{{Name: "id", Value: item.JSON(file.ID)}, {Name: key, Value: item.JSON(i.ID)}}, file.Fields...)
	}
}

// Limits on the bytes of the records of one file. Records may repeat what their file has once: the title of a list in each entry, an event
// on each of its days or, in a forged database, one page in every row. They may have maxRepeated times the bytes of the file, plus
// freeRecords that all files of a stream share. A row repeats the header, however short it is: those of tables may have maxNamed times
// the bytes, with the names of their fields.
const (
	maxRepeated = 20
	maxNamed    = 200
	freeRecords = 64 << 20
	recordBytes = 32 // counted for each record in addition to its fields

	// maxRecords is the most records of a file, with the pieces that are not one. What a watch measures in ten years is a few million.
	maxRecords = 10_000_000
)

type recordBudget struct {
	free       int // bytes that the next files may have in addition
	mostPieces int // of a file: records and others

	// of the current file
	left, used  int // bytes that its records may have, and have
	pieces      int
	isBounded   bool // its records may repeat content
	countsNames bool // the names of fields count
	times       int  // how often its bytes may be repeated
}

// begin resets the budget for a file, minus what its tables with lesser names used.
func (b *recordBudget) begin(file sourceFile, of *fileStream) {
	// Lines and mail repeat nothing; the readers of packed files have other limits.
	b.isBounded = !slices.Contains([]format{formatLines, formatMail, formatWorkbook, formatDocument}, of.format)
	size := int(file.size)
	b.times = maxRepeated
	if b.countsNames = of.format == formatTable; b.countsNames {
		b.times = maxNamed
	}
	for _, other := range of.dependsOn { // such as the log of a database, which may hold most of its data
		size += int(other.size)
	}
	b.left, b.used, b.pieces = b.free+b.times*size, 0, 0
	for part, used := range file.used {
		if part < file.Part {
			b.left -= used
		}
	}
}

// spend charges the budget for a record, and reports whether it was sufficient.
func (b *recordBudget) spend(one item.Item) bool {
	b.used += sizeOf(one)
	for index := 0; b.countsNames && index < len(one.Fields); index++ {
		b.used += len(one.Fields[index].Name)
	}
	return !b.isBounded || b.used <= b.left
}

func sizeOf(one item.Item) int {
	size := recordBytes
	for _, field := range one.Fields {
		size += len(field.Value)
	}
	for _, more := range one.Attached {
		size += sizeOf(more)
	}
	return size
}

func (b *recordBudget) end(file sourceFile) {
	b.free = min(b.free, max(b.left-b.used, 0))
	if file.used != nil {
		file.used[file.Part] = b.used
	}
}
