package importer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/mail"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// An itemReader reads the records of one file, one by one.
type itemReader interface {
	// next returns a record that is valid until the next call; unusable for a piece that is none, after which there may be more; io.EOF at the end.
	next() (item, error)
}

// unusable is a piece of a file that was passed over, or, when line is 0, all of it or all of the rest.
type unusable struct {
	line   int
	reason string
}

func (u unusable) Error() string { return u.reason }

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// reader reads a file of the source.
func (s *fileStream) reader(file io.Reader) (itemReader, error) {
	if s.format == formatArray {
		seekable, ok := file.(io.ReadSeeker)
		if !ok {
			return nil, errors.New("an array is read twice, and the file can only be read once")
		}
		return newArrayReader(seekable), nil
	}
	input := bufio.NewReaderSize(file, 1<<16)
	skipMark(input)
	switch s.format {
	case formatTable:
		return newTableReader(input, s), nil
	case formatMail:
		return messagesReader{mail.NewReader(input)}, nil
	case formatCalendar:
		return newCalendarReader(input), nil
	}
	return &linesReader{lines: lineReader{input: input}, parser: newLineParser()}, nil
}

const byteOrderMark = "\xef\xbb\xbf"

func skipMark(input *bufio.Reader) {
	if start, _ := input.Peek(len(byteOrderMark)); string(start) == byteOrderMark {
		_, _ = input.Discard(len(byteOrderMark)) // they are there
	}
}

// A jsonField is one field of a record.
type jsonField struct {
	name  string
	value []byte // JSON
}

// An item is a record as it was found.
type item struct {
	line   int    // where it begins
	number int    // its id when it has no other; the line if 0
	id     string // empty: what the id field says
	text   []byte // JSON; nil: made of the fields
	fields []jsonField

	// content tells two records of one id apart. Where it is known, a second record that differs is kept under an id of its own.
	content  string
	attached []item
	blob     *model.Blob
	emitted  time.Time // what the field of emission says; zero: unknown
}

func (i item) data() json.RawMessage {
	if i.text != nil {
		return bytes.Clone(i.text)
	}
	size := len("{}")
	for _, one := range i.fields {
		size += len(one.name) + len(one.value) + len(`"":,`)
	}
	text := make([]byte, 0, size)
	text = append(text, '{')
	for index, one := range i.fields {
		if index > 0 {
			text = append(text, ',')
		}
		text = append(text, jsonText(one.name)...)
		text = append(text, ':')
		text = append(text, one.value...)
	}
	return append(text, '}')
}

// jsonText writes a value as JSON without the escapes that only HTML needs. Bytes that are not UTF-8 become U+FFFD.
func jsonText(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) // strings, numbers and lists of them always encode
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// put adds a field, unless it is empty.
func (i *item) put(name string, value any) {
	switch v := value.(type) {
	case string:
		if v == "" {
			return
		}
	case []string:
		if len(v) == 0 {
			return
		}
	}
	i.fields = append(i.fields, jsonField{name, jsonText(value)})
}

func (i item) field(name string) (json.RawMessage, bool) {
	for _, one := range i.fields {
		if one.name == name {
			return one.value, true
		}
	}
	return nil, false
}

// replace gives a field another value.
func (i *item) replace(name string, value json.RawMessage) {
	for index := range i.fields {
		if i.fields[index].name == name {
			i.fields[index].value = value
			i.text = nil
		}
	}
}

// takeEmitted takes the time of emission out of the record.
func (i *item) takeEmitted(name string) {
	if name == "" {
		return
	}
	if _, ok := i.field(name); !ok {
		return
	}
	i.emitted, _ = i.instant(name)
	i.fields = slices.DeleteFunc(i.fields, func(one jsonField) bool { return one.name == name })
	i.text = nil
}

// instant reads a field as a time.
func (i item) instant(field string) (time.Time, bool) {
	value, ok := i.field(field)
	if !ok || len(value) == 0 || value[0] != '"' {
		return time.Time{}, false
	}
	return model.ParseInstant(unquote(value))
}

// identify settles the record's id: the id field when it is a string or a number, else the number of the line or item.
func (i *item) identify(field string) {
	if i.id != "" {
		return
	}
	if i.number == 0 {
		i.number = i.line
	}
	i.id = strconv.Itoa(i.number)
	value, ok := i.field(field)
	if !ok {
		return
	}
	switch first := value[0]; {
	case first == '-' || first >= '0' && first <= '9':
		i.id = string(value)
	case first == '"' && len(value) > 2:
		i.id = unquote(value)
	}
}

// knownIDs are the ids of a stream, with the records that have them.
type knownIDs map[string]knownID

type knownID struct {
	file    string
	line    int
	content string
	repeats int // how often the id was asked for again
}

// admit takes in a record, or says why it is left out: it is a copy of a message or an event. Any other record whose id is taken gets a
// further one: mail servers do give two messages one id, and the "id" of a row may be that of an account.
func (k knownIDs) admit(one *item, file string) (reason string) {
	base := one.id
	first, taken := k[base]
	for number := 2; taken; number++ {
		if one.content == "" {
			number = max(number, first.repeats+2) // those before are taken
			first.repeats = number - 1
			k[base] = first
		} else if known := k[one.id]; known.content == one.content {
			place := fmt.Sprintf("line %d", known.line)
			if known.file != file {
				place += " of " + known.file
			}
			return "the same as at " + place
		}
		one.id = fmt.Sprintf("%s-%d", base, number)
		_, taken = k[one.id]
	}
	k[one.id] = knownID{file: file, line: one.line, content: one.content}
	one.fillIDs()
	return ""
}

// fillIDs writes the id into a record whose format has no field for it, and into what hangs on it.
func (i *item) fillIDs() {
	if i.content == "" {
		return
	}
	i.fields = append([]jsonField{{"id", jsonText(i.id)}}, i.fields...)
	for index := range i.attached {
		file := &i.attached[index]
		file.id = fmt.Sprintf("%s-a%d", i.id, index+1)
		file.fields = append([]jsonField{{"id", jsonText(file.id)}, {"message_id", jsonText(i.id)}}, file.fields...)
	}
}

// A linesReader reads a JSON object to a line.
type linesReader struct {
	lines  lineReader
	parser *lineParser
}

func (r *linesReader) next() (item, error) {
	for {
		text, err := r.lines.next()
		if errors.Is(err, errTooLong) {
			return item{}, unusable{r.lines.number, err.Error()}
		}
		if err != nil {
			return item{}, err
		}
		if len(text) == 0 {
			continue
		}
		fields, err := r.parser.parse(text)
		if err != nil {
			return item{}, unusable{r.lines.number, err.Error()}
		}
		return item{line: r.lines.number, text: text, fields: fields}, nil
	}
}
