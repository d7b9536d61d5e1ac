package tools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Resource is a readable address, or a template of addresses. Reading one is a call of a tool with the arguments
// that the address stands for: same chain, same policy, same read.
type Resource struct {
	URI         string // a URI, or a URI template
	Template    bool
	Name        string
	Title       string
	Description string
	MIMEType    string

	// Call decodes an address of this resource. Its error is an InvalidURI or InvalidID that quotes the address.
	Call func(uri string) (Call, error)
}

const (
	streamsURI      = "pdpp://streams"
	streamURIPrefix = "pdpp://stream/"
)

// Resources returns the readable addresses over the tools that All returned.
func Resources(all []*Tool) []Resource {
	tool := func(name string) *Tool {
		for _, t := range all {
			if t.Name == name {
				return t
			}
		}
		panic("no tool " + name) // the two lists are written side by side
	}
	return []Resource{
		{
			URI: streamsURI, Name: "streams", Title: "Granted streams", MIMEType: "application/json",
			Description: "The streams of this grant, with record counts.",
			Call: func(uri string) (Call, error) {
				return resourceCall(tool("list_streams"), uri, nil), nil
			},
		},
		{
			URI: streamURIPrefix + "{name}", Template: true, Name: "stream", Title: "One stream", MIMEType: "application/json",
			Description: "What can be asked of one stream.",
			Call: func(uri string) (Call, error) {
				escaped, ours := strings.CutPrefix(uri, streamURIPrefix)
				name, err := url.PathUnescape(escaped)
				if !ours || err != nil || rs.UnsafeName(name) != "" {
					return Call{}, invalidURI(uri)
				}
				return resourceCall(tool("schema"), uri, rs.Object{{Name: "stream", Value: rs.EncodeJSON(name)}}), nil
			},
		},
		{
			URI: rs.RecordURIPrefix + "{+record}", Template: true, Name: "record", Title: "One record", MIMEType: "application/json",
			Description: "One record as a document.",
			Call: func(uri string) (Call, error) {
				if _, err := rs.ParseRef(uri); err != nil || !strings.HasPrefix(uri, rs.RecordURIPrefix) {
					return Call{}, invalidURI(uri)
				}
				return resourceCall(tool("fetch"), uri, rs.Object{{Name: "id", Value: rs.EncodeJSON(uri)}}), nil
			},
		},
		{
			URI: render.WindowURIPrefix + "{handle}", Template: true, Name: "field-window", Title: "Part of a text field", MIMEType: "application/json",
			Description: "One part of a long text field.",
			Call: func(uri string) (Call, error) {
				var h render.WindowHandle
				if !readHandle(uri, render.WindowURIPrefix, &h) || h.Version != 1 || h.Kind != "field_window" || h.ID == "" || h.Field == "" {
					return Call{}, invalidURI(uri)
				}
				return resourceCall(tool("read_record_field"), uri, handleArguments(h)), nil
			},
		},
		{
			URI: render.BlobURIPrefix + "{handle}", Template: true, Name: "blob", Title: "One attachment",
			Description: "The bytes of one attachment.",
			Call: func(uri string) (Call, error) {
				var h render.BlobHandle
				if !readHandle(uri, render.BlobURIPrefix, &h) || h.Version != 1 || h.Kind != "blob" || h.BlobID == "" {
					return Call{}, invalidURI(uri)
				}
				return resourceCall(tool("fetch_blob"), uri, handleArguments(h)), nil
			},
		},
	}
}

// readHandle reads the handle of an address, and reports whether the address has one.
func readHandle(uri, prefix string, handle any) bool {
	encoded, ours := strings.CutPrefix(uri, prefix)
	return ours && rs.DecodeHandle(encoded, handle) == nil
}

// handleArguments are the arguments that a handle stands for: they have the names of its other members.
func handleArguments(handle any) rs.Object {
	return rs.AsObject(rs.EncodeJSON(handle)).Without("v", "kind")
}

func resourceCall(tool *Tool, uri string, arguments rs.Object) Call {
	return Call{Tool: tool, Raw: json.RawMessage(arguments.JSON()), URI: uri}
}

func invalidURI(uri string) *rs.Error {
	return &rs.Error{
		Code: rs.InvalidURI, Param: "uri",
		Message: fmt.Sprintf("The resource URI %s is not one of this server.", quote.Exact(uri)),
		Hint:    "Read pdpp://streams, pdpp://stream/{name}, or a pdpp:// URI that a result carried in its _meta.",
	}
}
