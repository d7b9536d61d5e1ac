// Package objects reads JSON objects: one to a line, or in an array.
package objects

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// NewLines reads one JSON object per line.
func NewLines(input *bufio.Reader) item.Records {
	lines, parser := item.NewLines(input), item.NewParser()
	return item.Each(func() (item.Item, error) {
		for {
			text, err := lines.Next()
			if errors.Is(err, item.ErrTooLong) {
				return item.Item{}, item.Unusable(lines.Number, "%s", err)
			}
			if err != nil {
				return item.Item{}, err
			}
			if text = bytes.Trim(text, " \t\r\n"); len(text) == 0 {
				continue
			}
			fields, text, note, err := parser.ParseFinite(text)
			if err != nil {
				return item.Item{}, item.Unusable(lines.Number, "%s", err)
			}
			return item.Item{Line: lines.Number, Text: text, Fields: fields, Note: note}, nil
		}
	})
}

// An arrayReader reads JSON objects in an array, or in arrays that are fields of an object. Which fields these are is known only at the end
// of the file, so such a file is read twice. Each pass has one item in memory.
type arrayReader struct {
	document
	choose func() error // determines what is read of an object; nil: it is known
	paths  []path       // of arrays in an object; none: the file is the array
	places places       // of paths
	inside bool         // the decoder is in an array that is read
	number int
	broken bool
	single bool    // the object is the only record
	keyed  bool    // the values of the object are the records
	others []error // errors for what is not read
}

// NewArray reads the JSON objects in an array: the file itself or, in two passes, a field of its object. Of several arrays it reads the
// first one in fields or, if it has none of these, the one with the most objects. If the object has only arrays of objects with the same
// fields, it reads all, and the field "list" says which one. An object without an array of objects is one record.
func NewArray(file io.ReadSeeker, fields ...string) item.Records {
	r := &arrayReader{document: newDocument(file)}
	r.choose = func() error { return r.chooseField(fields) }
	return r.records
}

func (r *arrayReader) enter() error {
	start, err := r.begin()
	if err != nil {
		return err
	}
	if start == '[' {
		r.inside = true
		return nil
	}
	if r.choose != nil {
		if err := r.choose(); err != nil {
			return err
		}
		_, err = r.begin()
	}
	r.inside = r.keyed
	r.places = newPlaces(r.paths)
	return err
}

// records yields the objects of the arrays, or the object that has none.
func (r *arrayReader) records(yield func(item.Item, error) bool) {
	err := r.enter()
	if err == nil && r.single {
		(&restReader{document: newDocument(r.file), what: "the object"}).records(yield)
		return
	}
	for _, other := range r.others {
		if !yield(item.Item{}, other) {
			return
		}
	}
	for err == nil {
		if !r.inside || !r.more() {
			err = r.advance()
		} else if one, err := r.item(); !yield(one, err) || r.broken {
			return
		}
	}
	if !errors.Is(err, io.EOF) {
		yield(item.Item{}, err)
	}
}

// advance leaves an array, enters the next field of an object, or leaves an object.
func (r *arrayReader) advance() error {
	token, err := r.token()
	switch {
	case err != nil && r.inside:
		return item.UnusableError{Line: r.line(nil), Reason: "the array does not end: " + why(err)}
	case err != nil:
		return notJSON(err)
	case r.decoder.StackDepth() == 0:
		return r.end()
	case token.Kind() != '"':
		r.inside = false
		return nil
	}
	here, kind := r.decoder.StackPointer(), r.peek()
	if r.inside = kind == '[' && r.places.arrays[here]; r.inside || kind == '{' && r.places.above[here] {
		_, err = r.token()
		return notJSON(err)
	}
	return notJSON(r.skip())
}

// item reads a value of an array, or of the object whose values are the records.
func (r *arrayReader) item() (item.Item, error) {
	r.number++
	leading := item.Field{Name: "list"}
	if r.keyed {
		key, err := r.token()
		if err != nil {
			r.broken = true
			return item.Item{}, notJSON(err)
		}
		leading = item.Field{Name: "key", Value: item.JSON(key.String())}
	}
	text, err := r.value()
	if err != nil {
		r.broken = true
		return item.Item{}, item.Unusable(r.line(nil), "item %d is not JSON, and it and what follows are left out: %s", r.number, why(err))
	}
	line := r.line(text)
	note := r.note("item "+strconv.Itoa(r.number), text)
	if r.keyed && text[0] != '{' {
		text = slices.Concat([]byte(`{"value":`), text, []byte("}"))
	}
	if len(text) > item.MaxLine {
		return item.Item{}, item.Unusable(line, "item %d is %s", r.number, item.ErrTooLong)
	}
	fields, err := r.parser.Parse(text)
	if err != nil {
		return item.Item{}, item.Unusable(line, "item %d is %s", r.number, err)
	}
	one := item.Item{Line: line, Number: r.number, Text: text, Fields: fields, Note: note}
	if len(r.paths) > 1 { // each record says which of the arrays it is from
		here := slices.Collect(r.decoder.StackPointer().Tokens())
		leading.Value = item.JSON(here[differAt(r.paths[0], r.paths[1])])
	}
	if _, taken := one.Value(leading.Name); leading.Value != nil && !taken {
		one.Fields, one.Text = append([]item.Field{leading}, fields...), nil
	}
	return one, nil
}

// line returns the line on which the value that was just read begins.
func (r *arrayReader) line(text []byte) int {
	return r.input.LineAt(r.decoder.InputOffset()) - bytes.Count(text, []byte("\n"))
}

func (r *arrayReader) chooseField(fields []string) error {
	found, beside, err := r.arrays(nil, 1)
	if err == nil && len(found) == 0 {
		r.keyed, err = r.holdsRecords()
		r.single = !r.keyed
		return err
	}
	if filled := slices.DeleteFunc(slices.Clone(found), func(one foundArray) bool { return one.items == 0 }); len(filled) > 0 {
		found = filled
	} else if err != nil || len(beside) > 0 {
		r.single = err == nil
		return err
	}
	longest := slices.MaxFunc(found, func(a, b foundArray) int { return a.objects - b.objects })
	only := ", the one with the most items,"
	for _, name := range slices.Backward(fields) {
		if at := slices.IndexFunc(found, func(one foundArray) bool { return one.at[0] == name }); at >= 0 {
			longest, only = found[at], ""
		}
	}
	if err == nil && only != "" && longest.objects == 0 && longest.items > 0 {
		r.single = true
		return nil
	}
	r.paths = []path{longest.at} // a file that is broken later on is read until there
	if err == nil && len(beside) == 0 && only != "" && len(found) > 1 && alike(found) {
		r.paths = paths(found)
		return nil
	}
	r.noteOthers(found, beside, longest, only)
	return nil
}

// noteOthers adds errors for the fields of an object that are not read in addition to one of its arrays.
func (r *arrayReader) noteOthers(found []foundArray, beside []string, longest foundArray, only string) {
	name := utf8text.OneLine(longest.at[0])
	for _, one := range found {
		if one.at[0] != longest.at[0] && !strings.HasPrefix(one.at[0], "@") { // as in "@context", which says what the names mean
			r.others = append(r.others,
				item.Unusable(1, "the field %q is an array too; only %q%s is loaded", utf8text.OneLine(one.at[0]), name, only))
		}
	}
	if beside = slices.DeleteFunc(beside, isAboutList); len(beside) > 0 {
		r.others = append(r.others, item.Unusable(1, "only the array %q is loaded, and not what is beside it: %s", name,
			utf8text.OneLine(strings.Join(beside, ", "))))
	}
}
