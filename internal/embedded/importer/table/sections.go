package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Some files and sheets have several tables one below the other, each with a header and perhaps a title above it.

// Limits: lines that are searched for a header below a title, rows below a header that are sampled, and tables of a file. A file with more
// tables is rather misunderstood.
const windowLines, sampledRows, maxSections = 12, 5, 50

// Sections finds the tables of a file or a sheet: nil if there is only one. It splits off only what is certainly another table, because the
// cells of its header are lost to the table above it; see another.
func Sections(file io.Reader, sheet bool) []Section {
	s := sectioner{rows: rows{lines: item.NewLines(bufio.NewReaderSize(file, 1<<16)), sheet: sheet}}
	s.lines.Most = preambleBytes // no header is longer
	if !s.begin() {
		return nil
	}
	isQuoted, isBelow := false, false // within a quoted cell; below an empty line
	for len(s.found) <= maxSections {
		line, err := s.lines.Next()
		if errors.Is(err, io.EOF) {
			return s.sections()
		}
		if err != nil && !errors.Is(err, item.ErrTooLong) {
			return nil
		}
		isEmpty := err == nil && isBlank(line)
		if isQuoted || s.opens(line) {
			isQuoted = isQuoted != (bytes.Count(line, []byte(`"`))%2 == 1)
		} else if !isEmpty && s.mayBegin(line, isBelow) {
			s.lines.Back(bytes.Clone(line))
			if s.another(isBelow) {
				isBelow = false
				continue
			}
			line, _ = s.lines.Next() // read before
		}
		if !isEmpty {
			s.sample(line, isBelow)
		}
		isBelow = isEmpty
	}
	return nil
}

type sectioner struct {
	rows
	found       []foundSection
	current     int          // of found: the section that the next line belongs to
	sampled     []kindCounts // columns of the first rows below its header
	rowsSampled int          // number of those rows
	blockStart  int          // first line after the last empty one; 0: none since the header
	widest      int          // most cells of a line from blockStart on
}

type foundSection struct {
	title     string
	titleLine int
	header    []string
	spans     []Span
}

// A candidate is a place where a table may begin, within a window of lines.
type candidate struct {
	title                 string
	titleLine, headerLine int // within the window
	header                []string
	rows, width           int // number of sampled rows, and most cells of one
	sampled               []kindCounts
}

// begin finds the first table: the one that the reader finds, unless another with a title, or with the same first column, is above it.
func (s *sectioner) begin() bool {
	lines := s.ahead(preambleLines)
	var header int
	if s.comma, header = findPreamble(lines, s.sheet); s.comma == 0 {
		at := slices.IndexFunc(lines, func(line []byte) bool { return bytes.ContainsAny(line, ",;\t|") })
		if at < 0 || !s.findHeader(lines[at]) {
			return false
		}
	}
	if len(lines) == 0 || beginsSection(s.split(lines[0])) {
		return false
	}
	named := s.split(lines[header])
	for at := range lines[:header+1] {
		if isBlank(lines[at]) || at > 0 && !isBlank(lines[at-1]) {
			continue
		}
		one, ok := s.parse(lines[at:])
		if ok && (header == 0 || at+one.headerLine <= header) && one.isTyped() && (one.title != "" || header > 0 && one.header[0] == named[0]) {
			s.start(one, 1, s.lines.Number+at)
			s.skip(at + one.headerLine + 1)
			return true
		}
	}
	s.start(candidate{header: named}, 1, 0)
	s.skip(header + 1)
	return len(named) > 1
}

// start begins a section at the line from. before is the number of lines above the window of the candidate.
func (s *sectioner) start(one candidate, from, before int) {
	if len(s.found) > 0 {
		spans := s.found[s.current].spans
		spans[len(spans)-1].To = from
	}
	at := slices.IndexFunc(s.found, func(other foundSection) bool { return slices.Equal(other.header, one.header) })
	switch {
	case at < 0:
		at = len(s.found)
		s.found = append(s.found, foundSection{title: one.title, titleLine: before + one.titleLine + 1, header: one.header})
	case one.title != "" && s.found[at].title != one.title: // its tables have several titles
		s.found[at].title = ""
	}
	s.found[at].spans = append(s.found[at].spans, Span{from, math.MaxInt})
	s.current, s.sampled, s.rowsSampled, s.blockStart = at, nil, 0, 0
}

// sections returns the sections that were found, named by their titles where possible.
func (s *sectioner) sections() (all []Section) {
	if len(s.found) < 2 {
		return nil
	}
	names := map[string]bool{}
	for index, one := range s.found {
		name := strings.ReplaceAll(one.title, "/", "_")
		if name == "" || names[name] {
			name = ""
			if index > 0 {
				name = fmt.Sprintf("table %d", index+1)
			}
		} else if first := &one.spans[0]; first.From <= one.titleLine { // leave out the line of the title
			rest := Span{one.titleLine + 1, first.To}
			first.To = one.titleLine
			one.spans = slices.Insert(one.spans, 1, rest)
		}
		names[name] = true
		all = append(all, Section{name, one.spans})
	}
	return all
}

func (s *sectioner) skip(lines int) {
	for range lines {
		_, _ = s.lines.Next() // read before
	}
}

// opens reports a line whose last cell opens a quotation mark that includes the lines below.
func (s *sectioner) opens(line []byte) bool {
	if bytes.Count(line, []byte(`"`))%2 == 0 {
		return false
	}
	last := line[bytes.LastIndexByte(line, '"'):]
	before := bytes.TrimRight(line[:len(line)-len(last)], " ")
	return len(before) == 0 || bytes.HasSuffix(before, []byte(string(s.comma))) || bytes.HasSuffix(before, []byte(`"`))
}

// mayBegin reports a line that may begin a table: a title, words below an empty line, or the name of the first column of a table above.
func (s *sectioner) mayBegin(line []byte, isBelow bool) bool {
	first, rest, _ := bytes.Cut(line, []byte(string(s.comma)))
	if isBlank(rest) {
		return !isBlank(first)
	}
	name := strings.Trim(strings.TrimSpace(string(first)), `"`)
	return isBelow && !isTypedCell(name) ||
		slices.ContainsFunc(s.found, func(one foundSection) bool { return name != "" && one.header[0] == name })
}

func (s *sectioner) sample(line []byte, isBelow bool) {
	if isBelow {
		if s.blockStart, s.widest = s.lines.Number, 0; s.rowsSampled > 0 {
			s.rowsSampled = sampledRows // the rest may be something else
		}
	}
	if s.rowsSampled >= sampledRows && 2*s.widest > len(s.found[s.current].header) {
		return // most lines
	}
	cells := s.split(line)
	if s.widest = max(s.widest, filled(cells)); s.rowsSampled < sampledRows && len(cells) > 1 {
		s.sampled = addSample(s.sampled, cells)
		s.rowsSampled++
	}
}

func addSample(to []kindCounts, cells []string) []kindCounts {
	for index, cell := range cells {
		if index == len(to) {
			to = append(to, kindCounts{})
		}
		if isFilled(cell) {
			to[index][kindOf(cell)]++
		}
	}
	return to
}

// hasNoText reports a column with cells, none of which is text.
func (k kindCounts) hasNoText() bool { return k.all() > 0 && k[aText] == 0 }

// isTypedCell reports a cell that is not text: a number, a date, or a time of day.
func isTypedCell(cell string) bool { return kindOf(cell) != aText }

func (c candidate) isTyped() bool { return slices.ContainsFunc(c.sampled, kindCounts.hasNoText) }

// parse finds a header below titles, and samples the rows below it.
func (s *sectioner) parse(lines [][]byte) (one candidate, ok bool) {
	for ; one.headerLine < len(lines); one.headerLine++ {
		cells := s.split(lines[one.headerLine])
		if len(cells) > 1 {
			one.header = cells
			break
		} else if len(cells) == 1 {
			if one.title, one.titleLine = cells[0], one.headerLine; len(one.title) > longestName { // a remark
				one.title = ""
			}
		}
	}
	seen := map[string]bool{}
	for _, cell := range one.header {
		if seen[cell] || !isFilled(cell) || isMissing(cell) || len(cell) > longestName || beginsWithDigit(cell) || isTypedCell(cell) {
			return one, false
		}
		seen[cell] = true
	}
	for _, line := range lines[min(one.headerLine+1, len(lines)):] {
		cells := s.split(line)
		if len(cells) == 0 || one.rows == sampledRows || one.rows > 0 && (len(cells) == 1 || cells[0] == one.header[0]) { // of the next
			break
		}
		one.rows++
		one.width = max(one.width, len(cells))
		one.sampled = addSample(one.sampled, cells)
	}
	return one, len(one.header) > 1 && one.width <= len(one.header)
}

// longestName is the longest name of a column or a table, in bytes.
const longestName = 80

// another begins a section if a table certainly begins at the next line: its columns are those of an earlier table, or at least three of
// its names are in columns of numbers or dates. Fewer are enough if the rows below have numbers or dates too: two names, one in a wider
// table, or none if its first column is named like the one above.
func (s *sectioner) another(isBelow bool) bool {
	first := s.lines.Number + 1
	one, ok := s.parse(s.ahead(windowLines))
	above := s.found[s.current].header
	if !ok || slices.Equal(one.header, above) {
		return false
	}
	s.header = above
	isKnown := slices.ContainsFunc(s.found, func(other foundSection) bool { return slices.Equal(other.header, one.header) })
	isAlike := one.header[0] == above[0]
	if isAlike && s.isHeader(one.header) && !isKnown { // the reader takes it for another header
		return false
	}
	unlike := 0
	for index := range one.header {
		unlike += count(index < len(s.sampled) && s.sampled[index].hasNoText())
	}
	isWider := len(one.header) > len(above) && unlike > 0
	if !isKnown && unlike < 3 && (!one.isTyped() || !isAlike && !isWider && unlike < 2) {
		return false
	}
	from := first
	if isBelow && one.title == "" && s.blockStart > 0 && 2*s.widest <= len(one.header) { // the narrow lines above belong to it
		from = s.blockStart
	}
	s.start(one, from, first-1)
	s.skip(one.headerLine + 1)
	return true
}
