package tools

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// maxQueryBytes bounds q.
const maxQueryBytes = 1000

// arguments reads a tool's arguments one by one and keeps the first error, so that a decoder is a plain list of what the tool takes.
type arguments struct{ *argument.Reader }

// takes returns a reader of the arguments. An argument with any other name than the known ones is an error.
func takes(values rs.Object, known ...string) *arguments {
	return &arguments{argument.NewReader(values, known...)}
}

// done returns the decoded arguments, or the first error.
func (a *arguments) done(args Args) (Args, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	return args, nil
}

// A source is the stream and the connection that a call names; either may be "".
type source struct{ stream, connectionID string }

// source reads stream and connection_id.
func (a *arguments) source() source { return source{a.Name("stream"), a.Name("connection_id")} }

func (s source) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: s.stream, ConnectionID: s.connectionID}, nil
}

// position reads the cursor of a list: the resource server's, or one that an answer printed for the rest of a page of the same list. Call
// it after the list's arguments were read: it hashes them, and only valid arguments have a bounded size.
func (a *arguments) position() render.Position {
	cursor := a.Cursor("cursor")
	if a.Err != nil {
		return render.Position{}
	}
	p, err := render.ParsePosition(cursor).In(a.Values)
	a.Fail(err)
	return p
}

// A recordArg is the id of one record, and connection_id if it was sent.
type recordArg struct {
	ref          rs.Ref
	connectionID string
}

// record reads id and connection_id.
func (a *arguments) record() recordArg {
	r := recordArg{connectionID: a.Name("connection_id")}
	if text := a.Text("id", rs.MaxIDBytes); text != "" {
		ref, err := rs.ParseRef(text)
		a.Fail(err)
		r.ref = ref
	}
	return r
}

// Scope returns the scope of the record. Its connection comes from the id or from connection_id; two different connections are an error
// rather than a silent preference, which could read the wrong source (S2-8, S3-19d).
func (r recordArg) Scope() (rs.Scope, error) {
	connection := r.ref.ConnectionID
	switch {
	case connection == "":
		connection = r.connectionID
	case r.connectionID != "" && r.connectionID != connection:
		return rs.Scope{}, &rs.Error{
			Code: "conflicting_connection_id", Param: "connection_id",
			Message: fmt.Sprintf("The id names connection %q and connection_id is %q.", connection, r.connectionID),
			Hint:    "Send the id alone; it already says which connection is meant.",
		}
	}
	return rs.Scope{Stream: r.ref.Stream, RecordID: r.ref.RecordID, ConnectionID: connection}, nil
}

// scopedRef returns the reference of the record under the connection that was read.
func (r recordArg) scopedRef(scope rs.Scope) rs.Ref {
	return rs.Ref{ConnectionID: scope.ConnectionID, Stream: scope.Stream, RecordID: scope.RecordID}
}

// maxExpandLimit is the most related records that may be asked for per record; a resource server may allow fewer.
const maxExpandLimit = 1000

// An expansion asks for related records along with each record: expand=relation and expand_limit[relation]=n (S3-R11).
type expansion url.Values

// expansion reads expand and expand_limit.
func (a *arguments) expansion() expansion {
	e := expansion{}.with(a.List("expand", argument.UnsafeListed))
	raw, ok := a.Given("expand_limit")
	if !ok {
		return e
	}
	relations, err := written.Object(raw)
	switch {
	case err != nil || len(relations) == 0:
		a.failExpandLimit("expand_limit is %s; it must be an object with at least one relation.", quote.JSON(raw))
	case len(relations) > argument.MaxListItems:
		a.failExpandLimit("expand_limit has %d relations; at most %d are allowed.", len(relations), argument.MaxListItems)
	}
	for _, relation := range relations {
		if !filter.IsName(relation.Name) {
			a.failExpandLimit("expand_limit names the relation %s; send the bare name, without brackets.", quote.Exact(relation.Name))
		}
		limit, ok := argument.Integer(relation.Value)
		if !ok || limit < 1 || limit > maxExpandLimit {
			a.failExpandLimit("expand_limit for %s cannot be %s; 1 to %d are allowed.", quote.Exact(relation.Name), quote.JSON(relation.Value), maxExpandLimit)
		}
		e["expand_limit["+relation.Name+"]"] = []string{strconv.Itoa(int(limit))}
	}
	return e
}

func (a *arguments) failExpandLimit(format string, values ...any) {
	a.Fail(&rs.Error{
		Code: "invalid_expand", Param: "expand_limit", Message: fmt.Sprintf(format, values...),
		Hint: `Send an object such as {"attachments":3} with whole numbers, relation names as schema printed them.`,
	})
}

// relations returns the names in expand.
func (e expansion) relations() []string { return e["expand"] }

// with returns a copy of the expansion with more relations.
func (e expansion) with(relations []string) expansion {
	more := maps.Clone(e)
	for _, name := range relations {
		if !slices.Contains(more["expand"], name) {
			more["expand"] = append(slices.Clip(more["expand"]), name)
		}
	}
	return more
}
