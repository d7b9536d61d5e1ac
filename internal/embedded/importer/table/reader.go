package table

import (
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Options are how rows are read. Without Cells all cells are strings.
type Options struct {
	Cells      map[string]Cell // types of cells by column; other columns are strings
	IDField    *string         // "id" is replaced by the name of that column in the header, whatever its case
	Semicolons *bool           // set to true if semicolons separate the cells, as where numbers have decimal commas
	Sheet      bool            // rows end at their last cell that is not empty
	Section    *Section        // the table to read, of several in the file; nil: the whole file
}

// A reader reads rows of comma separated values (RFC 4180) below a header.
type reader struct {
	rows
	Options
	columns   []column
	fields    []item.Field // of the current row
	values    []byte       // of the current row
	preamble  []row        // lines above the header, the first items
	rowsAbove rowsAbove    // rows above the current line
	ended     bool         // the lines that follow are below the table
	lonely    int          // line of a header of one cell, or of a section, below which nothing was found yet; else 0
	sections  bool         // rows begin with the name of their section and their kind in it
	tasks     tasks
	period    time.Time // first day of the period of a file of DATEV; zero: of any other file
}

// A column is a column of the header, with how its cells are converted.
type column struct {
	Cell
	name  string
	clock int // for a column of days: the column with their times of day; -1: none
	side  int // for a column of amounts: the column with their sides; -1: none
	zone  int // for a column of times: the column with their zones; -1: none
}

// tasks are rows as Todoist writes them, where a row of kind "section" names the section of the rows below it.
type tasks struct {
	isList        bool
	kind, content int    // the columns with the kind and the text of a row
	within        string // name of the current section
}

func taskList(header []string) tasks {
	one := tasks{kind: slices.Index(header, "TYPE"), content: slices.Index(header, "CONTENT")}
	one.isList = one.kind >= 0 && one.content >= 0 && slices.Contains(header, "INDENT") && !slices.Contains(header, "SECTION")
	return one
}

// section appends the section of a row as JSON: null for a row that is a section itself or above the first one.
func (t *tasks) section(to []byte, cells []string) []byte {
	isNamed := max(t.kind, t.content) < len(cells) && cells[t.kind] == "section"
	if isNamed {
		t.within = cells[t.content]
	}
	if isNamed || t.within == "" {
		return append(to, "null"...)
	}
	return model.Quote(to, t.within)
}
