// Package argument reads the arguments of a call and keeps the first error. It also writes those of a call that an answer prints.
package argument

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // time_zone takes every zone, wherever the program runs
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Limits of what a caller may send.
const (
	// maxCursorBytes bounds a cursor or bookmark.
	maxCursorBytes = 16<<10 + 64 // a cursor of 16 KiB, and the place on its page
	// MaxListItems bounds fields, streams and expand.
	MaxListItems = 100
)

// A Reader reads a tool's arguments one by one and keeps the first error. A null argument counts as absent.
type Reader struct {
	Values rs.Object
	Err    error // an *[rs.Error] about the first invalid argument
}

// unlisted are arguments that tools take but do not list.
var unlisted = written.Set("view")

// NewReader returns a Reader of arguments. Its Err is set if a name is not in known.
func NewReader(values rs.Object, known ...string) *Reader {
	var unknown []string
	for _, m := range values {
		if !slices.Contains(known, m.Name) {
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) == 0 {
		return &Reader{Values: values}
	}
	const shown = 5
	var quoted []string
	for _, name := range unknown[:min(len(unknown), shown)] {
		quoted = append(quoted, quote.Exact(name))
	}
	param := unknown[0]
	if len(param) > filter.MaxNameBytes {
		param = ""
	}
	known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return unlisted[name] })
	a := &Reader{}
	a.Failf(param, "This tool takes: "+strings.Join(known, ", ")+".", "Unknown argument %s.", strings.Join(quoted, ", "))
	return a
}

// Fail keeps the first error; nil is ignored.
func (a *Reader) Fail(err error) {
	if a.Err == nil {
		a.Err = err
	}
}

// Failf reports that an argument is invalid. hint tells what to send instead.
func (a *Reader) Failf(name, hint, format string, values ...any) {
	a.Fail(rs.Invalid(name, fmt.Sprintf(format, values...), hint))
}

// Has reports whether an argument was given.
func (a *Reader) Has(name string) bool { return a.Values.Has(name) }

// Given returns the JSON of an argument; false if it is absent or [Reader.Err] is set.
func (a *Reader) Given(name string) (string, bool) {
	if a.Err != nil {
		return "", false
	}
	raw := a.Values.Get(name)
	return raw, raw != ""
}

// Text reads an optional string of at most maxBytes. A blank one is an error.
func (a *Reader) Text(name string, maxBytes int) string {
	raw, ok := a.Given(name)
	if !ok {
		return ""
	}
	value, isString := written.Text(raw)
	switch {
	case !isString:
		a.Failf(name, "Send a string, or leave it out.", "%s must be a string, not %s.", name, quote.JSON(raw))
	case strings.TrimSpace(value) == "":
		a.Failf(name, "Send a value, or leave it out.", "%s is empty.", name)
	case len(value) > maxBytes:
		a.Failf(name, "Send a shorter value.", "%s is %d bytes long; at most %d are allowed.", name, len(value), maxBytes)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		a.Failf(name, "Send plain text.", "%s holds a NUL or is not valid UTF-8.", name)
	}
	if a.Err != nil {
		return ""
	}
	return value
}

// Name reads a stream name, connection id or field name that becomes part of a path or a parameter.
func (a *Reader) Name(name string) string {
	value := a.Text(name, filter.MaxNameBytes)
	if why := rs.UnsafeName(value); value != "" && why != "" {
		a.Fail(&rs.Error{
			Code: "invalid_id", Param: name, Message: fmt.Sprintf("%s %s %s.", name, quote.Exact(value), why),
			Hint: "Send a name exactly as schema printed it.",
		})
	}
	return value
}

// Field reads a field name or dotted path.
func (a *Reader) Field(name string) string {
	value := a.Text(name, filter.MaxNameBytes)
	if value != "" {
		a.safe(name, value, rs.UnsafeField)
	}
	return value
}

// safe fails if unsafe finds something wrong with a value of an argument.
func (a *Reader) safe(name, value string, unsafe func(string) string) {
	if why := unsafe(value); why != "" {
		a.Failf(name, "Send names exactly as schema printed them.", "%s holds %s, which %s.", name, quote.Exact(value), why)
	}
}

// Required fails if an argument is absent. It does not read it.
func (a *Reader) Required(name, example string) {
	if a.Err == nil && !a.Has(name) {
		a.Failf(name, "Send for example "+example+".", "%s is required.", name)
	}
}

// Choice reads an optional word that must be one of allowed.
func (a *Reader) Choice(name string, allowed ...string) string {
	raw, ok := a.Given(name)
	if !ok {
		return ""
	}
	value, _ := written.Text(raw)
	if !slices.Contains(allowed, value) {
		a.Failf(name, "Send one of: "+strings.Join(allowed, ", ")+".", "%s cannot be %s.", name, quote.JSON(raw))
	}
	return value
}

// Number reads an optional integer between least and most; absent is 0.
func (a *Reader) Number(name string, least, most int) int {
	if value := a.OptionalNumber(name, least, most); value != nil {
		return *value
	}
	return 0
}

// OptionalNumber is like [Reader.Number] but returns nil if the argument is absent, for arguments that may be 0.
func (a *Reader) OptionalNumber(name string, least, most int) *int {
	raw, ok := a.Given(name)
	if !ok {
		return nil
	}
	value, isNumber := Integer(raw)
	if !isNumber || value < float64(least) || value > float64(most) {
		a.Failf(name, fmt.Sprintf("Send a whole number from %d to %d, without quotes.", least, most), "%s cannot be %s.", name, quote.JSON(raw))
		return nil
	}
	whole := int(value)
	return &whole
}

// Integer reads a JSON number without a fraction.
func Integer(raw string) (float64, bool) {
	if rs.Kind(raw) != "number" {
		return 0, false
	}
	value, err := strconv.ParseFloat(raw, 64)
	return value, err == nil && value == math.Trunc(value)
}

// List reads an optional array of names. A single string counts as an array of one.
func (a *Reader) List(name string, unsafe func(string) string) []string {
	raw, ok := a.Given(name)
	if !ok {
		return nil
	}
	values, ok := stringsOf(raw)
	switch {
	case !ok:
		a.Failf(name, `Send for example ["a","b"].`, "%s must be an array of names, not %s.", name, quote.JSON(raw))
	case len(values) == 0:
		a.Failf(name, "Name at least one, or leave it out.", "%s is an empty array.", name)
	case len(values) > MaxListItems:
		a.Failf(name, "Send fewer.", "%s has %d names; at most %d are allowed.", name, len(values), MaxListItems)
		return nil // do not check a hundred thousand names
	}
	for _, value := range values {
		if len(value) > filter.MaxNameBytes || !utf8.ValidString(value) {
			a.Failf(name, "Send names exactly as schema printed them.", "%s holds a name of %d bytes; at most %d are allowed.", name, len(value), filter.MaxNameBytes)
		}
		a.safe(name, value, unsafe)
	}
	return values
}

// stringsOf reads an array of strings, or a single string. A null in the array is the empty string, as in encoding/json.
func stringsOf(raw string) ([]string, bool) {
	if lone, ok := written.Text(raw); ok {
		return []string{lone}, true
	}
	list, ok := rs.AsArray(raw)
	values := make([]string, len(list))
	for i, item := range list {
		if rs.Kind(item) == "null" {
			continue
		}
		if values[i], ok = written.Text(item); !ok {
			return nil, false
		}
	}
	return values, ok
}

// Fields reads the names of fields.
func (a *Reader) Fields() []string { return a.List("fields", rs.UnsafeField) }

// UnsafeListed returns why a stream or relation in a list is refused; "" if it is not.
func UnsafeListed(name string) string {
	if why := rs.UnsafeName(name); why != "" || !strings.ContainsAny(name, "[]") {
		return why
	}
	return "contains brackets"
}

// Cursor reads a cursor or bookmark. Only its issuer knows whether it is valid; Cursor refuses what cannot be one.
func (a *Reader) Cursor(name string) string {
	value := a.Text(name, maxCursorBytes)
	if a.Err == nil && strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`<>[]{}\\", r) }) {
		hint := "Send it exactly as the last page printed it, with the same other arguments; or leave it out to start again."
		a.Failf(name, hint, "%s %s is not one that this server printed.", name, quote.JSON(a.Values.Get(name)))
	}
	return value
}

// Excludes fails if two arguments are both given.
func (a *Reader) Excludes(name, other string) {
	if a.Has(name) && a.Has(other) {
		a.Failf(other, "Leave one of them out.", "%s and %s cannot be combined.", name, other)
	}
}

// Requires fails if an argument is given without another.
func (a *Reader) Requires(name, other string) {
	if a.Has(name) && !a.Has(other) {
		a.Failf(other, "Send "+other+" too, or leave "+name+" out.", "%s needs %s.", name, other)
	}
}

// Filter reads the filter argument.
func (a *Reader) Filter() filter.Filter {
	raw, ok := a.Given("filter")
	if !ok {
		return nil
	}
	f, err := filter.Parse(raw)
	a.Fail(err)
	return f
}

// TimeZone reads the argument time_zone: UTC if absent.
func (a *Reader) TimeZone() *time.Location {
	name := a.Text("time_zone", filter.MaxNameBytes)
	if name == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // the caller does not know the zone of the machine
		hint := `Send a name such as "Europe/Berlin", or leave it out for UTC.`
		a.Failf("time_zone", hint, "time_zone %s is not an IANA time zone.", quote.Exact(name))
	}
	return zone
}
