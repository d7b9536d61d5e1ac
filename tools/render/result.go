// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Short names for what is read and written everywhere.
type (
	object = rs.Object
	member = rs.Member
)

// A Result is one tool result on both channels. Each alone is complete enough to act on (S4-R4).
type Result struct {
	Text       string          // the one text block of content[]
	Structured json.RawMessage // structuredContent: an object
	Meta       map[string]any  // _meta: resource URIs and counts for hosts, never needed by a model
	Cuts       int             // how many records, fields and pages did not fit and were left out or made smaller; the text says so of each
}

// Clean returns the result as it may reach a host, and what the response that it was made from lost on the way: the same
// for both channels. The text of a document stays its structured result, byte for byte (D3).
func (r Result) Clean(response *rs.Response) Result {
	mirrored := r.Text == string(r.Structured)
	found := clean.DirtyJSON(response.Body)
	if found || clean.DirtyJSON(r.Structured) {
		raw := string(r.Structured)
		structured := new(clean.Removed).JSON(raw, clean.Visible)
		if len(structured) > write.StructuredHard { // an escape is longer than its character
			structured = new(clean.Removed).JSON(raw, clean.Lines)
		}
		r.Structured = json.RawMessage(structured)
	}
	if mirrored {
		r.Text = string(r.Structured)
	} else {
		r.Text = clean.Lines(r.Text)
	}
	var removed clean.Removed
	if found {
		removed.JSON(response.Body, clean.Lines)
	}
	if removed.Total() > 0 {
		meta := map[string]any{"pdpp/removed_characters": removed}
		maps.Copy(meta, r.Meta)
		r.Meta = meta
	}
	return r
}

// Redact returns the result without the tokens that the redactor knows. Each channel is searched for itself, after [Result.Clean]:
// removing hidden characters can put the pieces of a token together. It changes the Meta of the result.
func (r Result) Redact(redactor *rs.Redactor) Result {
	mirrored := r.Text == string(r.Structured)
	r.Text = redactor.Text(r.Text)
	if redactor.MayFind(r.Structured) {
		clean := redactor.JSON(string(r.Structured))
		if r.Structured = json.RawMessage(clean); mirrored {
			r.Text = clean
		}
	}
	for key, value := range r.Meta {
		switch value := value.(type) {
		case string:
			r.Meta[key] = redactor.Text(value)
		case []string:
			for i, text := range value {
				value[i] = redactor.Text(text)
			}
		}
	}
	return r
}

// Removed counts the characters that were taken out of an answer, by what they were.
type Removed = clean.Removed

// What a result has at most, in bytes.
const (
	TextHard       = write.TextHard
	StructuredHard = write.StructuredHard
)

// A Position is a place in a list of the resource server, as a cursor of ours names it (D23).
type Position = paging.Position

// RepairedList is the Cursor of a Position in the list that a repaired search makes ([Repair]).
const RepairedList = paging.RepairedList

// ParsePosition reads a cursor that a model sent. What does not have the form of a Position is a cursor of the resource server.
func ParsePosition(cursor string) Position { return paging.Parse(cursor) }

// Quotable is a text as an excerpt is hashed: one line, without marks and ellipses, because those are not the record's own words.
func Quotable(text string) string { return marked.Quotable(text) }

// Digest is the SHA-256 of a text as citations write it: 64 lower-case hexadecimal digits.
func Digest(text string) string { return marked.Digest(text) }

// decode reads an answer, which must be an object. what names the answer in the error, which shows nothing of the body.
func decode(response *rs.Response, what string) (object, error) {
	o := response.Object()
	if o == nil {
		return nil, notAnObject(response.Body, what)
	}
	return o, nil
}

func notAnObject(body, what string) error {
	return invalidResponse(what, "is JSON but not an object: "+rs.Kind(body))
}

func invalidResponse(what, fault string) *rs.Error {
	return &rs.Error{
		Code:    "invalid_response",
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
	}
}

// A listing is a list answer.
type listing struct {
	rs.List
	meta   object // of the envelope
	recall object // what the resource server says of the words of a search
}

// readListing reads a list answer. what names the answer in the error. sent is the cursor that it was asked for with: a next_cursor that is
// the same leads nowhere, and counts as none.
func readListing(response *rs.Response, what, sent string) (listing, error) {
	l, ok := response.List()
	switch {
	case l.Body == nil:
		return listing{}, notAnObject(response.Body, what)
	case l.Count > rs.MaxItems:
		return listing{}, &rs.Error{
			Code:    "response_too_large",
			Message: fmt.Sprintf("The resource server's answer to %s has %d items; at most %d are taken.", what, l.Count, rs.MaxItems),
			Hint:    "Ask for less: a smaller limit, a narrower filter, or one connection.",
		}
	case !ok:
		return listing{}, invalidResponse(what, "has no list of items: data is "+rs.Kind(l.Body.Get("data")))
	}
	if sent != "" && l.Envelope.Text("next_cursor") == sent {
		l = l.Without("next_cursor")
	}
	meta := l.Envelope.Object("meta")
	return listing{l, meta, meta.Object("recall")}, nil
}

// count is the number of matches when the resource server counted: "401", "at least 260", "about 400", or "".
func (l listing) count() string {
	n, ok := l.meta.Number("count")
	kind := l.meta.Text("count_accuracy")
	if !ok {
		count := l.meta.Object("count")
		n, ok = count.Number("value")
		kind = count.Text("kind")
	}
	switch {
	case !ok:
		return ""
	case kind == "lower_bound":
		return fmt.Sprintf("at least %d", n)
	case slices.Contains([]string{"estimated", "estimate", "approximate"}, kind):
		return fmt.Sprintf("about %d", n)
	}
	return strconv.Itoa(n)
}

// warnings are the resource server's, one line each, at most max of them. Its messages are quoted.
func (l listing) warnings(max int) []string {
	return write.EachOf(l.meta.Array("warnings"), max, func(raw string) string {
		w := rs.AsObject(raw)
		code, message := write.Label(w.Text("code")), w.Text("message")
		if w == nil {
			message, _ = rs.AsText(raw)
		}
		return "warning" + write.When(code != "", " "+clean.Name(code)) + write.When(message != "", ": "+clean.Quote(clean.Preview(message, 240)))
	})
}

func (l listing) warned(code string) bool {
	return len(l.withoutWarning(code).meta.Array("warnings")) < len(l.meta.Array("warnings"))
}

func (l listing) withoutWarning(code string) listing {
	kept := slices.DeleteFunc(l.meta.Array("warnings"), func(raw string) bool { return rs.AsObject(raw).Text("code") == code })
	l.meta = l.meta.With("warnings", rs.JoinArray(kept))
	return l
}

func (l listing) keep(items []rs.Item) listing {
	l.Items, l.Body = items, l.With(items)
	l.Raw = l.Body.JSON()
	return l
}

// joined is an array of values; one that fills a page alone is shortened.
func joined(values []string) string {
	if len(values) == 1 {
		return rs.JoinArray([]string{write.Truncate(values[0], write.StructuredTarget)})
	}
	return rs.JoinArray(values)
}

const readAsBytes = 300 // of what dates were read as

// datesReadAs lists what the dates of a filter were read as, one line for each field, and what lasts into the time that they bound.
func datesReadAs(answer object) []string {
	lines := write.Each(answer.Array("read_as"), func(raw string) string {
		text, _ := rs.AsText(raw)
		if len(text) > readAsBytes { // structured output has all of it
			text = strings.Join(write.Within(strings.Split(text, ", "), readAsBytes), ", ")
		}
		return "dates read as: " + clean.Preview(text, readAsBytes+20)
	})
	return write.NotEmpty(append(lines, noted(answer.Object("lasting")))...)
}

// noted is what a member of an answer says of it, with the call that answers instead; "" for none.
func noted(said object) string {
	call := said.Object("instead")
	return write.Offer("", write.When(call != nil, said.Text("note")+": "+call.Text("tool")+" "+call.Get("arguments")), write.LineChars)
}

// missingFields names the connections that lack fields of the call, those that lack the same on one line, and the call that reads the same
// there.
func missingFields(answer object) []string {
	var lines, lacking []string
	same := map[string][]string{} // connections by the fields that they lack, where no call reads the same there
	for _, raw := range answer.Array("missing_fields") {
		o := rs.AsObject(raw)
		connection := write.ShownValue(write.JSON(o.Text("display_name", "connection_id")))
		fields := strings.Join(write.Each(write.Words(o, "fields"), clean.Bare), ", ")
		there := o.Object("instead")
		call := write.Offer("", connection+" has no "+fields+". The same there: "+there.Text("tool")+" "+there.Get("arguments"), write.LineChars)
		if there != nil && call != "" {
			lines = append(lines, call)
			continue
		}
		if same[fields] == nil {
			lacking = append(lacking, fields)
		}
		same[fields] = append(same[fields], connection)
	}
	for _, fields := range lacking {
		lines = append(lines, strings.Join(same[fields], ", ")+" "+write.Have(len(same[fields]))+" no "+fields)
	}
	return lines
}

// withoutLeftOut returns the list without the warnings that a connection is left out, where the missing fields of an answer say why.
func (l listing) withoutLeftOut(answer object) listing {
	without := l.withoutWarning("connection_left_out")
	if len(l.meta.Array("warnings"))-len(without.meta.Array("warnings")) > len(answer.Array("missing_fields")) {
		return l
	}
	return without
}

// BriefOf is what a record that has no title says first; "" for nothing.
func BriefOf(data rs.Object) string { return item.Brief(data) }

// WhenOf is when a record or hit is, as it says itself: RFC 3339 or a date; "" where it does not. When it was read is another time.
func WhenOf(o rs.Object) string {
	when, _ := item.Time(o, o.Object("data"))
	return when
}
