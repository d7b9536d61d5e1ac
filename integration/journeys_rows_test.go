package integration

import (
	"regexp"
	"strings"
)

var (
	tableHead = regexp.MustCompile(`^id \| (.*?)(?: \(id = (\S+) \+ first column(?:, with % (\S+) \+ it)?((?:; \S+ = \S+ \+ cell \+ Z)*)\))?$`)
	yearNote  = regexp.MustCompile(`; (\S+) = (\S+) \+ cell \+ Z`)
	cellsOf   = regexp.MustCompile(`(?:"(?:[^"\\]|\\.)*"|[^"|])+`)
	usualCell = regexp.MustCompile(`^~ in (\S+): (.*)$`)
	blockLine = regexp.MustCompile(`^([\w.]+): (.*)$`)
	cutValue  = regexp.MustCompile(`^("(?:[^"\\]|\\.)*")… \(\+[\d,]+ characters(?:: (.*))?\)$`)
)

// printedRows are the records of the tables, or of the blocks of lines, of a page.
func printedRows(lines []string) []row {
	var rows []row
	var columns []string
	var usual, each, years map[string]string
	prefix, escaped := "", ""
	for _, line := range lines {
		if head := tableHead.FindStringSubmatch(line); head != nil {
			columns, prefix, escaped = strings.Split(head[1], " | "), head[2], head[3]
			usual, each, years = map[string]string{}, map[string]string{}, map[string]string{}
			for _, year := range yearNote.FindAllStringSubmatch(head[4], -1) {
				years[year[1]] = year[2]
			}
			continue
		}
		alike, ok := strings.CutPrefix(line, "in each row: ")
		if !ok {
			alike, ok = strings.CutPrefix(line, "in each row that does not end with another: ")
		}
		if ok {
			for _, cell := range cellsOf.FindAllString(alike, -1) {
				name, value, _ := strings.Cut(strings.TrimSpace(cell), " ")
				each[name] = value
			}
			continue
		}
		if found := usualCell.FindStringSubmatch(line); found != nil {
			usual[found[1]] = found[2]
			continue
		}
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			rows, columns = append(rows, row{id: id, values: map[string]string{}}), nil
			continue
		}
		if found := blockLine.FindStringSubmatch(line); found != nil && columns == nil && len(rows) > 0 {
			rows[len(rows)-1].set(found[1], found[2])
			continue
		}
		cells := cellsOf.FindAllString(strings.ReplaceAll(line, "| |", "| \x00|"), -1)
		if columns == nil || len(cells) < 2 || line[0] == ' ' {
			continue
		}
		r := row{id: strings.TrimSpace(cells[0]), values: map[string]string{}}
		switch {
		case escaped != "" && strings.Contains(r.id, "%"):
			r.id = escaped + r.id
		case prefix != "" && !strings.HasPrefix(r.id, "pdpp:") && !strings.HasPrefix(r.id, prefix):
			r.id = prefix + r.id
		}
		for name, value := range each {
			r.set(name, value)
		}
		for i, cell := range cells[1:] {
			cell = strings.Trim(cell, " \x00")
			switch {
			case i >= len(columns): // another value than nearly each row has
				name, value, _ := strings.Cut(cell, " ")
				delete(r.values, name)
				r.set(name, value)
				continue
			case cell == "~":
				cell = usual[columns[i]]
			case years[columns[i]] != "":
				cell = years[columns[i]] + cell + "Z"
			}
			r.set(columns[i], cell)
		}
		rows = append(rows, r)
	}
	return rows
}

// set takes over a value as it is printed; of one that is cut, the call that reads it too.
func (r *row) set(name, value string) {
	if cut := cutValue.FindStringSubmatch(value); cut != nil {
		if read := printedCallIn(cut[2], ""); read != nil {
			r.long = append(r.long, *read)
		}
		value = cut[1]
	}
	if value != "" && value != "null" {
		r.values[name] = unquoted(value)
	}
}
