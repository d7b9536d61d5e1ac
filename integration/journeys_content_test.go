package integration

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// contentOnly reads the text of an answer, like a model that sees nothing else.
type contentOnly struct{}

var (
	printedCall    = regexp.MustCompile(`\b(schema|query_records|aggregate|search|fetch|read_record_field) (\{.*\})`)
	connectionWord = regexp.MustCompile(`\bcin_[a-z_]+\b`)
	explanation    = regexp.MustCompile(` \([^)]*\)`) // after a name
	provenLine     = regexp.MustCompile(`^  (?:(\S+) )?field=([\w.]+)(?: (\d+)-(\d+))?(?: ([0-9a-f]{16}))?: ("(?:[^"\\]|\\.)*")`)
	marked         = regexp.MustCompile(`<mark>(.*?)</mark>`)
	windowLine     = regexp.MustCompile(`characters (\d+) to (\d+) of (\d+)(?:.*match at (\d+) to (\d+))?`)
	wholeLine      = regexp.MustCompile(`: complete, (\d+) characters`)
	scalarLine     = regexp.MustCompile(`^[a-z_]+ of .* = (.*?)(?: · \d+ records?)?$`)
	countLine      = regexp.MustCompile(`^([\d,]+) \S+`)
	connectionLine = regexp.MustCompile(`^[\w-]+, (cin_[a-z_]+)(?: "[^"]*")?: (.*)$`)
	sameStreams    = regexp.MustCompile(`^the same \d+ streams? as (\S+)$`)
)

func (contentOnly) see(result *mcp.CallToolResult) string { return textOf(result) }

// printedCallIn returns the call after a word on a line.
func printedCallIn(line, word string) *call {
	rest, ok := strings.CutPrefix(line, word)
	if !ok {
		return nil
	}
	found := printedCall.FindStringSubmatch(rest)
	if found == nil {
		return nil
	}
	c := callOf(found[1], found[2])
	return &c
}

// unquoted returns a printed value without quotes.
func unquoted(value string) string {
	if s, err := strconv.Unquote(value); err == nil {
		return s
	}
	return value
}

func (contentOnly) refused(seen string) refusal {
	lines := strings.Split(seen, "\n")
	code, message, _ := strings.Cut(lines[0], ": ")
	r := refusal{Code: code, Message: message}
	for _, line := range lines[1:] {
		switch {
		case strings.HasPrefix(line, "retry_with="):
			r.RetryWith, _, _ = strings.Cut(strings.TrimPrefix(line, "retry_with="), ",")
		case strings.HasPrefix(line, "connection_id="):
			id, _, _ := strings.Cut(strings.TrimPrefix(line, "connection_id="), " ")
			r.Connections = append(r.Connections, offered{ID: unquoted(id)})
		case strings.HasPrefix(line, "unavailable: "), strings.HasPrefix(line, "request_id="), strings.HasPrefix(line, "retry_after_seconds="):
		default:
			r.Hint = strings.TrimSpace(r.Hint + " " + line)
		}
	}
	return r
}

func (contentOnly) catalog(seen string) []granted {
	var all []granted
	known := map[string]string{}
	for line := range strings.SplitSeq(seen, "\n") {
		found := connectionLine.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		list, _, _ := strings.Cut(found[2], "; ") // the freshness
		if same := sameStreams.FindStringSubmatch(list); same != nil {
			list = known[same[1]]
		}
		known[found[1]] = list
		for stream := range strings.SplitSeq(list, ", ") {
			word, _, _ := strings.Cut(stream, " ") // the number and time of records
			all = append(all, granted{unquoted(word), found[1]})
		}
	}
	return all
}

// described reads a header, lines with the fields of each operation, and examples.
func (contentOnly) described(stream, seen string) []described {
	var blocks []described
	var rest *call
	for line := range strings.SplitSeq(seen, "\n") {
		if next := printedCallIn(line, "Next: "); next != nil {
			rest = next
			continue
		}
		if strings.HasPrefix(line, stream+" (") {
			blocks = append(blocks, described{connections: connectionWord.FindAllString(line, -1), words: map[string][]string{}})
			continue
		}
		if len(blocks) == 0 {
			continue
		}
		block := &blocks[len(blocks)-1]
		line, indented := strings.CutPrefix(line, "  ")
		if !indented {
			continue
		}
		if sorted, ok := strings.CutPrefix(line, "sorted by "); ok {
			name, _, _ := strings.Cut(sorted, ",")
			block.words["sort"] = append(block.words["sort"], name)
			continue
		}
		if example := printedCallIn(line, "example: "); example != nil {
			block.examples = append(block.examples, *example)
			continue
		}
		label, list, ok := strings.Cut(line, ": ")
		if !ok || label == "not granted" {
			continue
		}
		words := strings.Fields(label)
		if label != "expand" {
			words = append(words, "fields")
		}
		for item := range strings.SplitSeq(explanation.ReplaceAllString(list, ""), ", ") {
			name, _, _ := strings.Cut(item, " ")
			for _, word := range words {
				word, _, _ = strings.Cut(word, "[")
				block.words[word] = append(block.words[word], unquoted(name))
				if word == "range" {
					block.words["sort"] = append(block.words["sort"], unquoted(name))
				}
			}
		}
	}
	if len(blocks) > 0 {
		blocks[len(blocks)-1].rest = rest
	}
	return blocks
}

func (contentOnly) page(_ call, seen string) page {
	var p page
	lines := strings.Split(seen, "\n")
	if _, rest, ok := strings.Cut(lines[0], " records, "); ok {
		p.total, _, _ = strings.Cut(rest, " match in all")
	}
	for _, line := range lines[1:] {
		if next := printedCallIn(line, "next page: "); next != nil {
			p.next = next
		}
		if later := printedCallIn(line, "later changes: "); later != nil {
			p.later = later
		}
		if one := printedCallIn(line, "query_records {"); one == nil && strings.HasPrefix(line, "query_records {") {
			arguments, _, _ := cutJSON(strings.TrimPrefix(line, "query_records "))
			p.apart = append(p.apart, callOf("query_records", arguments))
		}
	}
	p.rows = printedRows(lines[1:])
	return p
}

var (
	tableHead = regexp.MustCompile(`^id \| (.*?)(?: \(id = (\S+) \+ first column\))?$`)
	cellsOf   = regexp.MustCompile(`(?:"(?:[^"\\]|\\.)*"|[^"|])+`)
	usualCell = regexp.MustCompile(`^~ in (\S+): (.*)$`)
	blockLine = regexp.MustCompile(`^([\w.]+): (.*)$`)
	cutValue  = regexp.MustCompile(`^("(?:[^"\\]|\\.)*")… \(\+[\d,]+ characters(?:: (.*))?\)$`)
)

// printedRows returns the records in the tables, or in the blocks of lines, of a page.
func printedRows(lines []string) []row {
	var rows []row
	var columns []string
	var usual, each map[string]string
	prefix := ""
	for _, line := range lines {
		if head := tableHead.FindStringSubmatch(line); head != nil {
			columns, prefix, usual, each = strings.Split(head[1], " | "), head[2], map[string]string{}, map[string]string{}
			continue
		}
		if alike, ok := strings.CutPrefix(line, "in each row: "); ok {
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
		if prefix != "" && !strings.HasPrefix(r.id, "pdpp:") && !strings.HasPrefix(r.id, prefix) {
			r.id = prefix + r.id
		}
		for i, cell := range cells[1:min(len(cells), len(columns)+1)] {
			if cell = strings.Trim(cell, " \x00"); cell == "~" {
				cell = usual[columns[i]]
			}
			r.set(columns[i], cell)
		}
		for name, value := range each {
			r.set(name, value)
		}
		rows = append(rows, r)
	}
	return rows
}

// set stores a printed value; if it is truncated, also the call that reads it.
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

// cutJSON splits a text after the JSON object at its start.
func cutJSON(text string) (object, rest string, ok bool) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return text[:i+1], text[i+1:], true
			}
		}
	}
	return "", text, false
}

func (contentOnly) hits(_ call, seen string) hits {
	var h hits
	first := "" // the id on the previous line
	for line := range strings.SplitSeq(seen, "\n") {
		if next := printedCallIn(line, "next page: "); next != nil {
			h.next = next
		}
		if found := provenLine.FindStringSubmatch(line); found != nil && len(h.ids) > 0 {
			e := evidence{id: first, field: found[2], text: unquoted(found[6]), start: -1, end: -1, sha256: found[5]}
			if found[1] != "" {
				e.id = found[1]
			}
			if found[3] != "" {
				e.start, _ = strconv.Atoi(found[3])
				e.end, _ = strconv.Atoi(found[4])
			}
			h.evidence = append(h.evidence, e.readable())
			continue
		}
		ids, _, ok := strings.Cut(line, " | ")
		if !ok || strings.HasPrefix(line, " ") {
			continue
		}
		first, _, _ = strings.Cut(ids, " + ")
		for id := range strings.SplitSeq(ids, " + ") {
			if !slices.Contains(h.ids, id) {
				h.ids = append(h.ids, id)
			}
		}
	}
	return h
}

// readable adds the call that reads around the match, from the id, the field and the marked words.
func (e evidence) readable() evidence {
	e.read = callOf("read_record_field", `{}`).with("id", e.id).with("field", e.field)
	if match := marked.FindStringSubmatch(e.text); match != nil {
		e.read = e.read.with("q", match[1])
	}
	return e
}

// printedIDs returns the ids in the text of a search or a page, in order.
func printedIDs(text string) []string {
	if rows := printedRows(strings.Split(text, "\n")); len(rows) > 0 {
		return idsOf(rows)
	}
	return contentOnly{}.hits(call{}, text).ids
}

func (contentOnly) tally(seen string) tally {
	lines := strings.Split(seen, "\n")
	if found := scalarLine.FindStringSubmatch(lines[0]); found != nil {
		return tally{value: unquoted(found[1])}
	}
	if found := countLine.FindStringSubmatch(lines[0]); found != nil {
		return tally{value: strings.ReplaceAll(found[1], ",", "")}
	}
	t := tally{groups: map[string]string{}}
	for _, line := range lines[1:] {
		key, count, isRow := strings.Cut(line, " | ")
		switch {
		case isRow && count != "count":
			t.keys = append(t.keys, unquoted(key))
			t.groups[unquoted(key)] = count
		case strings.HasPrefix(line, "all "):
			t.other = "0"
		case strings.HasPrefix(line, "shown "):
			_, other, _ := strings.Cut(line, "other_count=")
			t.other, _, _ = strings.Cut(other, ")")
		}
	}
	return t
}

// window parses the text of a window: "> " starts each line of the record's text, "+ " continues one.
func (contentOnly) window(seen string) window {
	var w window
	var b strings.Builder
	first := true
	for line := range strings.SplitSeq(seen, "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			if !first {
				b.WriteByte('\n')
			}
			first = false
			b.WriteString(line[2:])
		case strings.HasPrefix(line, "+ "):
			b.WriteString(line[2:])
		case strings.HasPrefix(line, "next part: "):
			w.next = printedCallIn(line, "next part: ")
		case strings.HasPrefix(line, "sha256 "):
			w.sha256 = strings.Fields(line)[1]
		}
		if found := windowLine.FindStringSubmatch(line); found != nil && first && w.total == 0 {
			w.start, _ = strconv.Atoi(found[1])
			w.end, _ = strconv.Atoi(found[2])
			w.total, _ = strconv.Atoi(found[3])
			w.match = found[4] + "-" + found[5]
		}
		if found := wholeLine.FindStringSubmatch(line); found != nil && first && w.total == 0 {
			w.total, _ = strconv.Atoi(found[1])
			w.end = w.total
		}
	}
	w.text = b.String()
	w.match = matched(w, w.match)
	return w
}

// matched returns the text of a window between two characters of its field, written as "87-127".
func matched(w window, place string) string {
	from, to, _ := strings.Cut(place, "-")
	start, err := strconv.Atoi(from)
	if err != nil {
		return ""
	}
	end, err := strconv.Atoi(to)
	runes := []rune(w.text)
	if err != nil || start < w.start || end > w.start+len(runes) {
		return ""
	}
	return string(runes[start-w.start : end-w.start])
}
