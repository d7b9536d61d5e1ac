package tools

import (
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Bounds of what a caller may send.
const (
	// maxLimit is the largest page; a larger limit is refused rather than clamped.
	maxLimit = 100
	// maxQueryBytes bounds q.
	maxQueryBytes = 1000
)

// arguments reads a tool's arguments one by one and keeps the first error, so that a decoder is a plain list of what the tool takes.
type arguments struct{ *argument.Reader }

// takes reads arguments whose names are all known.
func takes(values rs.Object, known ...string) *arguments {
	return &arguments{argument.NewReader(values, known...)}
}

// done ends the reading: the arguments, or what is wrong with the first that is wrong.
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

// Scope returns what the read touches.
func (s source) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: s.stream, ConnectionID: s.connectionID}, nil
}

// position reads the cursor of a list: one of the resource server, or one that an answer printed for the rest of a page of the same list.
func (a *arguments) position() render.Position {
	p, err := render.ParsePosition(a.Cursor("cursor")).In(a.Values)
	a.Fail(err)
	return p
}
