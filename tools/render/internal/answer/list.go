// Package answer reads a resource server's answers and renders what they have in addition to records, for both channels: warnings, missing
// fields, unavailable connections, how fresh the data are, and why nothing was found.
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

// Decode reads an answer, which must be a JSON object. The error names the answer by what and shows nothing of the body.
func Decode(response *rs.Response, what string) (object, error) {
	o := response.Object()
	if o == nil {
		return nil, NotAnObject(response.Body, what)
	}
	return o, nil
}

// NotAnObject returns the error for an answer to what that is not an object.
func NotAnObject(body, what string) error {
	return Invalid(what, "is JSON but not an object: "+rs.Kind(body))
}

// Invalid returns the error "invalid_response": an answer to what breaks the contract.
func Invalid(what, fault string) *rs.Error {
	return &rs.Error{
		Code:    "invalid_response",
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
	}
}

// A List is an answer with a list of items.
type List struct {
	rs.List
	Meta   object // of the envelope
	Recall object // what the resource server reports about the words of a search
}

// ReadList reads an answer with a list. The error names the answer by what. sent is the cursor of the request: an equal next_cursor leads
// nowhere and is removed.
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

// Matches returns the number of matches, if the resource server counted them: "401", "at least 260", "about 400"; else "".
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

// Warnings returns at most max warnings of the resource server, one line each, with its messages quoted.
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

// WithoutLeftOut returns the list without the warnings that a connection is left out, if the missing_fields of an answer explain all of
// them.
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

// Joined returns a JSON array of values. It truncates a single value to write.StructuredTarget.
func Joined(values []string) string {
	if len(values) == 1 {
		return rs.JoinArray([]string{write.Truncate(values[0], write.StructuredTarget)})
	}
	return rs.JoinArray(values)
}
