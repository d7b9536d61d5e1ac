// Package answer has what answers of a resource server say beside their content, and how both channels say it: lists, warnings, what is
// missing or unavailable, how fresh the data are, and why nothing was found.
package answer

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

type object = rs.Object

// Decode reads an answer, which must be an object. what names the answer in the error, which shows nothing of the body.
func Decode(response *rs.Response, what string) (object, error) {
	o := response.Object()
	if o == nil {
		return nil, NotAnObject(response.Body, what)
	}
	return o, nil
}

// NotAnObject is the error that an answer, which what names, is no object.
func NotAnObject(body, what string) error {
	return Invalid(what, "is JSON but not an object: "+rs.Kind(body))
}

// Invalid is the error that an answer is not as the contract has it.
func Invalid(what, fault string) *rs.Error {
	return &rs.Error{
		Code:    "invalid_response",
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
	}
}

// A List is a list answer.
type List struct {
	rs.List
	Meta   object // of the envelope
	Recall object // what the resource server says of the words of a search
}

// ReadList reads a list answer. what names the answer in the error. sent is the cursor that it was asked for with: a next_cursor that is
// the same leads nowhere, and counts as none.
func ReadList(response *rs.Response, what, sent string) (List, error) {
	l, ok := response.List()
	switch {
	case l.Body == nil:
		return List{}, NotAnObject(response.Body, what)
	case l.Count > rs.MaxItems:
		return List{}, &rs.Error{
			Code:    "response_too_large",
			Message: fmt.Sprintf("The resource server's answer to %s has %d items; at most %d are taken.", what, l.Count, rs.MaxItems),
			Hint:    "Ask for less: a smaller limit, a narrower filter, or one connection.",
		}
	case !ok:
		return List{}, Invalid(what, "has no list of items: data is "+rs.Kind(l.Body.Get("data")))
	}
	if sent != "" && l.Envelope.Text("next_cursor") == sent {
		l = l.Without("next_cursor")
	}
	meta := l.Envelope.Object("meta")
	return List{l, meta, meta.Object("recall")}, nil
}

// Matches is the number of matches when the resource server counted: "401", "at least 260", "about 400", or "".
func (l List) Matches() string {
	n, ok := l.Meta.Number("count")
	kind := l.Meta.Text("count_accuracy")
	if !ok {
		count := l.Meta.Object("count")
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

// Warnings are the resource server's, one line each, at most max of them. Its messages are quoted.
func (l List) Warnings(max int) []string {
	return write.EachOf(l.Meta.Array("warnings"), max, func(raw string) string {
		w := rs.AsObject(raw)
		code, message := write.Label(w.Text("code")), w.Text("message")
		if w == nil {
			message, _ = rs.AsText(raw)
		}
		return "warning" + write.When(code != "", " "+clean.Name(code)) + write.When(message != "", ": "+clean.Quote(clean.Preview(message, 320)))
	})
}

// Warned reports whether there is a warning of a code.
func (l List) Warned(code string) bool {
	return len(l.WithoutWarning(code).Meta.Array("warnings")) < len(l.Meta.Array("warnings"))
}

// WithoutWarning returns the list without the warnings of a code.
func (l List) WithoutWarning(code string) List {
	kept := slices.DeleteFunc(l.Meta.Array("warnings"), func(raw string) bool { return rs.AsObject(raw).Text("code") == code })
	l.Meta = l.Meta.With("warnings", rs.JoinArray(kept))
	return l
}

// WithoutLeftOut returns the list without the warnings that a connection is left out, where the missing fields of an answer say why.
func (l List) WithoutLeftOut(answer object) List {
	without := l.WithoutWarning("connection_left_out")
	if len(l.Meta.Array("warnings"))-len(without.Meta.Array("warnings")) > len(answer.Array("missing_fields")) {
		return l
	}
	return without
}

// Keep returns the list with only some of its items.
func (l List) Keep(items []rs.Item) List {
	l.Items, l.Body = items, l.With(items)
	l.Raw = l.Body.JSON()
	return l
}

// Joined is an array of values; one that fills a page alone is shortened.
func Joined(values []string) string {
	if len(values) == 1 {
		return rs.JoinArray([]string{write.Truncate(values[0], write.StructuredTarget)})
	}
	return rs.JoinArray(values)
}
