package importer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// addSheets makes a stream of each sheet of a workbook, or of each of its tables.
func (l *lister) addSheets(file sourceFile) error {
	book, err := openWorkbook(l.from.fsys, file.name)
	if err != nil {
		return err
	}
	defer func() { _ = book.Close() }() // it was only read
	file.sections = l.sections(file, func(sections map[string][]table.Section) error {
		for _, sheet := range book.Sheets {
			rows, err := book.Read(sheet.Name)
			if err != nil {
				return fmt.Errorf("read sheet %s: %w", sheet.Name, err) // reported when the sheet is read
			}
			if found := table.Sections(rows, true); found != nil {
				sections[sheet.Name] = found
			}
		}
		return nil
	})
	for _, sheet := range book.Sheets {
		file.part = sheet.Name
		name := sheet.Name
		if len(book.Sheets) == 1 {
			name = ""
		}
		l.addSections(formatWorkbook, partOf(l.relative(file.name), name), file)
	}
	return nil
}

func (l *lister) sectionsOf(file sourceFile, sections map[string][]table.Section) error {
	opened, err := openFile(l.from.fsys, file.name)
	if err != nil {
		return err
	}
	defer func() { _ = opened.Close() }() // it was only read
	text, err := utf8text.Decode(stopping{opened, l.ctx}, true)
	if err != nil {
		return fmt.Errorf("decode %s: %w", file.name, err)
	}
	if found := table.Sections(text, false); found != nil {
		sections[""] = found
	}
	return nil
}

// sections returns the tables of each sheet, or of a file, that has several. Those of an unchanged file are known from the previous
// listing. If it returns nil, each sheet is read as one table.
func (l *lister) sections(file sourceFile, find func(map[string][]table.Section) error) map[string][]table.Section {
	if file.size > maxDivided {
		return nil
	}
	if before := l.known[stateOf(l.from.fsys, []sourceFile{file})[0]]; before.sections != nil {
		return before.sections
	}
	found := map[string][]table.Section{}
	if err := guard(func() error { return find(found) }); err != nil {
		return nil
	}
	return found
}

// addSections makes a stream of a sheet or a file, or of each of its tables.
func (l *lister) addSections(kind format, called string, file sourceFile) {
	sections, ending := file.sections[file.part], path.Ext(called)
	stem := strings.TrimSuffix(called, ending)
	if slices.ContainsFunc(l.declared, func(s schema.Stream) bool { return s.Name == streamName(stem) }) {
		sections = nil
	}
	if len(sections) == 0 {
		l.addStream(l.streamFor(kind, called), kind, file)
	}
	for index := range sections {
		if file.section = &sections[index]; file.section.Name != "" {
			called = stem + "/" + file.section.Name + ending
		}
		l.addStream(l.streamFor(kind, called), kind, file)
	}
}
