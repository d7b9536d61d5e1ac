package tools

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
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what a caller may send.
const (
	// maxLimit is the largest page; a larger limit is refused rather than clamped.
	maxLimit = 100
	// maxQueryBytes bounds q.
	maxQueryBytes = 1000
	// maxCursorBytes bounds a cursor or bookmark.
	maxCursorBytes = 16<<10 + 64 // a cursor of 16 KiB, and the place on its page
	// maxListItems bounds fields, streams and expand.
	maxListItems = 100
)

// arguments reads a tool's arguments one by one and keeps the first error, so that a decoder is a plain list of
// what the tool takes. A null argument counts as absent.
type arguments struct {
	values rs.Object
	err    error
}

// unlisted are arguments that tools take and do not list.
var unlisted = written.Set("view")

// takes reads arguments whose names are all known.
func takes(values rs.Object, known ...string) *arguments {
	a := &arguments{}
	var unknown []string
	for _, m := range values {
		if !slices.Contains(known, m.Name) {
			unknown = append(unknown, m.Name)
		}
	}
	if len(unknown) > 0 {
		const shown = 5
		quoted := make([]string, min(len(unknown), shown))
		for i := range quoted {
			quoted[i] = quote.Exact(unknown[i])
		}
		param := unknown[0]
		if len(param) > filter.MaxNameBytes {
			param = ""
		}
		known = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return unlisted[name] })
		a.failf(param, "This tool takes: "+strings.Join(known, ", ")+".", "Unknown argument %s.", strings.Join(quoted, ", "))
		return a
	}
	a.values = values
	return a
}

func (a *arguments) fail(err error) {
	if a.err == nil {
		a.err = err // nil is none
	}
}

func (a *arguments) failf(name, hint, format string, values ...any) {
	a.fail(rs.Invalid(name, fmt.Sprintf(format, values...), hint))
}

// done ends the reading: the arguments, or what is wrong with the first that is wrong.
func (a *arguments) done(args Args) (Args, error) {
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

// has reports whether an argument was given.
func (a *arguments) has(name string) bool { return a.values.Has(name) }

// given returns an argument that was given, as long as nothing is wrong with those before it.
func (a *arguments) given(name string) (string, bool) {
	if a.err != nil {
		return "", false
	}
	raw := a.values.Get(name)
	return raw, raw != ""
}

// text reads an optional string of at most maxBytes; given, it may not be empty.
func (a *arguments) text(name string, maxBytes int) string {
	raw, ok := a.given(name)
	if !ok {
		return ""
	}
	value, isString := written.Text(raw)
	switch {
	case !isString:
		a.failf(name, "Send a string, or leave it out.", "%s must be a string, not %s.", name, quote.JSON(raw))
	case strings.TrimSpace(value) == "":
		a.failf(name, "Send a value, or leave it out.", "%s is empty.", name)
	case len(value) > maxBytes:
		a.failf(name, "Send a shorter value.", "%s is %d bytes long; at most %d are allowed.", name, len(value), maxBytes)
	case !utf8.ValidString(value) || strings.ContainsRune(value, 0):
		a.failf(name, "Send plain text.", "%s holds a NUL or is not valid UTF-8.", name)
	}
	if a.err != nil {
		return ""
	}
	return value
}

// A source is the stream and the connection that a call names; either may be "".
type source struct{ stream, connectionID string }

// source reads stream and connection_id.
func (a *arguments) source() source { return source{a.name("stream"), a.name("connection_id")} }

// Scope returns what the read touches.
func (s source) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: s.stream, ConnectionID: s.connectionID}, nil
}

// name reads a stream name, connection id or field name that becomes part of a path or a parameter.
func (a *arguments) name(name string) string {
	value := a.text(name, filter.MaxNameBytes)
	if why := rs.UnsafeName(value); value != "" && why != "" {
		a.fail(&rs.Error{Code: "invalid_id", Param: name, Message: fmt.Sprintf("%s %s %s.", name, quote.Exact(value), why), Hint: "Send a name exactly as schema printed it."})
	}
	return value
}

// field reads a field name or dotted path.
func (a *arguments) field(name string) string {
	value := a.text(name, filter.MaxNameBytes)
	if value != "" {
		a.safe(name, value, rs.UnsafeField)
	}
	return value
}

// safe demands that unsafe finds nothing wrong with a value of an argument.
func (a *arguments) safe(name, value string, unsafe func(string) string) {
	if why := unsafe(value); why != "" {
		a.failf(name, "Send names exactly as schema printed them.", "%s holds %s, which %s.", name, quote.Exact(value), why)
	}
}

// required reads nothing: it demands that an argument was given.
func (a *arguments) required(name, example string) {
	if a.err == nil && !a.has(name) {
		a.failf(name, "Send for example "+example+".", "%s is required.", name)
	}
}

// choice reads one of a few words.
func (a *arguments) choice(name string, allowed ...string) string {
	raw, ok := a.given(name)
	if !ok {
		return ""
	}
	value, _ := written.Text(raw)
	if !slices.Contains(allowed, value) {
		a.failf(name, "Send one of: "+strings.Join(allowed, ", ")+".", "%s cannot be %s.", name, quote.JSON(raw))
	}
	return value
}

// number reads an optional integer between least and most; absent is 0.
func (a *arguments) number(name string, least, most int) int {
	if value := a.optionalNumber(name, least, most); value != nil {
		return *value
	}
	return 0
}

// optionalNumber is number with nil for absent, where 0 means something else.
func (a *arguments) optionalNumber(name string, least, most int) *int {
	raw, ok := a.given(name)
	if !ok {
		return nil
	}
	value, isNumber := integer(raw)
	if !isNumber || value < float64(least) || value > float64(most) {
		a.failf(name, fmt.Sprintf("Send a whole number from %d to %d, without quotes.", least, most), "%s cannot be %s.", name, quote.JSON(raw))
		return nil
	}
	whole := int(value)
	return &whole
}

// integer reads a JSON number without a fraction.
func integer(raw string) (float64, bool) {
	if rs.Kind(raw) != "number" {
		return 0, false
	}
	value, err := strconv.ParseFloat(raw, 64)
	return value, err == nil && value == math.Trunc(value)
}

// list reads an optional array of names; one lone string counts as a list of one.
func (a *arguments) list(name string, unsafe func(string) string) []string {
	raw, ok := a.given(name)
	if !ok {
		return nil
	}
	values, ok := stringsOf(raw)
	switch {
	case !ok:
		a.failf(name, `Send for example ["a","b"].`, "%s must be an array of names, not %s.", name, quote.JSON(raw))
	case len(values) == 0:
		a.failf(name, "Name at least one, or leave it out.", "%s is an empty array.", name)
	case len(values) > maxListItems:
		a.failf(name, "Send fewer.", "%s has %d names; at most %d are allowed.", name, len(values), maxListItems)
	}
	for _, value := range values {
		if len(value) > filter.MaxNameBytes || !utf8.ValidString(value) {
			a.failf(name, "Send names exactly as schema printed them.", "%s holds a name of %d bytes; at most %d are allowed.", name, len(value), filter.MaxNameBytes)
		}
		a.safe(name, value, unsafe)
	}
	return values
}

// stringsOf reads an array of strings, or one lone string. A null among them is the empty string, as for encoding/json.
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

func (a *arguments) fields() []string { return a.list("fields", rs.UnsafeField) }

// unsafeListed says why a stream or relation of a list is refused.
func unsafeListed(name string) string {
	if why := rs.UnsafeName(name); why != "" || !strings.ContainsAny(name, "[]") {
		return why
	}
	return "contains brackets"
}

// cursor reads a cursor or bookmark. Whether it is valid only its maker knows; what cannot be one is refused here.
func (a *arguments) cursor(name string) string {
	value := a.text(name, maxCursorBytes)
	if a.err == nil && strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("\"'`<>[]{}\\", r) }) {
		hint := "Send it exactly as the last page printed it, with the same other arguments; or leave it out to start again."
		a.failf(name, hint, "%s %s is not one that this server printed.", name, quote.JSON(a.values.Get(name)))
	}
	return value
}

// position reads the cursor of a list: one of the resource server, or one that an answer printed for the rest of a page of the same list.
func (a *arguments) position() render.Position {
	p, err := render.ParsePosition(a.cursor("cursor")).In(a.values)
	a.fail(err)
	return p
}

// excludes demands that two arguments are not both given.
func (a *arguments) excludes(name, other string) {
	if a.has(name) && a.has(other) {
		a.failf(other, "Leave one of them out.", "%s and %s cannot be combined.", name, other)
	}
}

// requires demands that an argument comes with another.
func (a *arguments) requires(name, other string) {
	if a.has(name) && !a.has(other) {
		a.failf(other, "Send "+other+" too, or leave "+name+" out.", "%s needs %s.", name, other)
	}
}

// filter reads the filter argument.
func (a *arguments) filter() filter.Filter {
	raw, ok := a.given("filter")
	if !ok {
		return nil
	}
	f, err := filter.Parse(raw)
	a.fail(err)
	return f
}

// timeZone reads the argument time_zone: UTC if absent.
func (a *arguments) timeZone() *time.Location {
	name := a.text("time_zone", filter.MaxNameBytes)
	if name == "" {
		return time.UTC
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" { // the zone of the machine is of no meaning to the caller
		hint := `Send a name such as "Europe/Berlin", or leave it out for UTC.`
		a.failf("time_zone", hint, "time_zone %s is not an IANA time zone.", quote.Exact(name))
	}
	return zone
}
