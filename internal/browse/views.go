package browse

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	g "maragu.dev/gomponents"
)

// allViews has the required and optional parameters of each view, and the function that shows it.
var allViews = map[string]struct {
	needs, takes []string
	show         func(*view, context.Context) g.Node
}{
	"streams": {nil, []string{"offset"}, (*view).streams},
	"records": {[]string{"stream"}, []string{"connection", "sort", "order", "cursor", "filter", "operator", "value"}, (*view).records},
	"record":  {[]string{"id"}, nil, (*view).record},
	"file":    {[]string{"uri", "name"}, nil, nil},
	"months":  {[]string{"stream"}, []string{"connection", "field", "by"}, (*view).months},
	"search":  {nil, []string{"q", "stream", "since", "until", "cursor"}, (*view).search},
	"call":    {nil, []string{"tool", "arguments"}, (*view).tool},
	"connect": {nil, nil, nil},
}

// A view collects what one page shows: the request, the call that provides the data, and the notes of answers.
type view struct {
	query
	ask func(ctx context.Context, method string, params any) (string, error)

	title   string   // of the page
	main    madeCall // the call that provides the view's data, if any
	notes   []string
	failure *failure
}

type madeCall struct{ Tool, Arguments string }

func (c madeCall) params() any {
	return map[string]any{"name": c.Tool, "arguments": json.RawMessage(c.Arguments)}
}

// arguments returns the arguments of a call in the order in which a page shows them. pairs are names and values in turn; empty values are
// left out.
func arguments(pairs ...any) (given rs.Object) {
	for pair := range slices.Chunk(pairs, 2) {
		name, _ := pair[0].(string)
		if value := rs.EncodeJSON(pair[1]); !slices.Contains([]string{`""`, "0", "null", "{}"}, value) {
			given = append(given, rs.Member{Name: name, Value: value})
		}
	}
	return given
}

type failure struct{ Code, Message, Hint string }

// request sends an MCP request and returns its result. After a failure, which it stores in the view, it returns nil.
func (v *view) request(ctx context.Context, method string, params any) rs.Object {
	result, err := v.ask(ctx, method, params)
	if err != nil {
		v.failure = &failure{Code: "refused", Message: err.Error()}
	}
	return rs.AsObject(result)
}

// callForData makes the call that provides the view's data, as call does.
func (v *view) callForData(ctx context.Context, tool string, given rs.Object) rs.Object {
	v.main = madeCall{tool, given.JSON()}
	return v.call(ctx, tool, given)
}

// call calls a tool and returns its structured result. After a failure, which it stores in the view, it returns nil.
func (v *view) call(ctx context.Context, tool string, given rs.Object) rs.Object {
	structured := v.request(ctx, "tools/call", madeCall{tool, given.JSON()}.params()).Object("structuredContent")
	if refused := structured.Object("error"); refused != nil {
		v.failure = &failure{refused.Text("code"), refused.Text("message"), refused.Text("hint")}
		return nil
	}
	if notice := structured.Text("notice"); notice != "" {
		v.notes = append(v.notes, notice)
	}
	for _, warning := range objects(structured, "data", "meta", "warnings") {
		if message := warning.Text("message"); message != "" {
			v.notes = append(v.notes, message)
		}
	}
	return structured
}

// objects returns the objects of the list at a path of member names.
func objects(o rs.Object, names ...string) []rs.Object {
	last := len(names) - 1
	for _, name := range names[:last] {
		o = o.Object(name)
	}
	var all []rs.Object
	for _, raw := range o.Array(names[last]) {
		all = append(all, rs.AsObject(raw))
	}
	return all
}

func first(list []rs.Object) rs.Object {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}
