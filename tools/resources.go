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

// A Resource is an MCP resource or resource template. Reading one calls a tool with the arguments that its URI encodes: same pipeline, same
// policy, same read.
type Resource struct {
	URI         string // a URI, or a URI template
	Template    bool
	Name        string
	Title       string
	Description string
	MIMEType    string

	// Call decodes a URI of this resource. Its error has the code invalid_uri and quotes the URI.
	Call func(uri string) (Call, error)
}

const (
	streamsURI      = "pdpp://streams"
	streamURIPrefix = "pdpp://stream/"
)

// Resources returns the resources that read through the tools that [All] returned.
func Resources(all []*Tool) []Resource {
	address := func(r Resource, tool string, arguments func(uri string) (rs.Object, bool)) Resource {
		r.Call = func(uri string) (Call, error) {
			if args, ours := arguments(uri); ours {
				return Call{Tool: all[0].Named(tool), Raw: json.RawMessage(args.JSON()), URI: uri}, nil
			}
			return Call{}, &rs.Error{
				Code: "invalid_uri", Param: "uri",
				Message: fmt.Sprintf("The resource URI %s is not one of this server.", quote.Exact(uri)),
				Hint:    "Read pdpp://streams, pdpp://stream/{name}, or a pdpp:// URI that a result carried in its _meta.",
			}
		}
		return r
	}
	return []Resource{
		address(Resource{
			URI: streamsURI, Name: "streams", Title: "Granted streams", MIMEType: "application/json",
			Description: "The streams of this grant, with record counts.",
		}, "list_streams", func(string) (rs.Object, bool) { return nil, true }),
		address(Resource{
			URI: streamURIPrefix + "{name}", Template: true, Name: "stream", Title: "One stream", MIMEType: "application/json",
			Description: "What can be asked of one stream.",
		}, "schema", func(uri string) (rs.Object, bool) {
			escaped, ours := strings.CutPrefix(uri, streamURIPrefix)
			name, err := url.PathUnescape(escaped)
			return rs.Object{rs.NewMember("stream", name)}, ours && err == nil && rs.UnsafeName(name) == ""
		}),
		address(Resource{
			URI: rs.RecordURIPrefix + "{+record}", Template: true, Name: "record", Title: "One record", MIMEType: "application/json",
			Description: "One record as a document.",
		}, "fetch", func(uri string) (rs.Object, bool) {
			_, err := rs.ParseRef(uri)
			return rs.Object{rs.NewMember("id", uri)}, err == nil && strings.HasPrefix(uri, rs.RecordURIPrefix)
		}),
		address(Resource{
			URI: render.WindowURIPrefix + "{handle}", Template: true, Name: "field-window", Title: "Part of a text field", MIMEType: "application/json",
			Description: "One part of a long text field.",
		}, "read_record_field", func(uri string) (rs.Object, bool) {
			return readHandle(uri, render.WindowURIPrefix, func(h render.WindowHandle) bool {
				return h.Version == 1 && h.Kind == "field_window" && h.ID != "" && h.Field != ""
			})
		}),
		address(Resource{
			URI: render.BlobURIPrefix + "{+blob}", Template: true, Name: "blob", Title: "One attachment",
			Description: "The bytes of one attachment.",
		}, "fetch_blob", blobArguments),
	}
}

// blobArguments returns the arguments in a blob's URI, in its own form or with a handle; false if it has neither.
func blobArguments(uri string) (rs.Object, bool) {
	path, ours := strings.CutPrefix(uri, render.BlobURIPrefix)
	path, err := url.PathUnescape(path)
	if connection, id, named := strings.Cut(path, "/"); named {
		arguments := rs.Object{rs.NewMember("blob_id", id)}
		if connection != "-" {
			arguments = append(arguments, rs.NewMember("connection_id", connection))
		}
		return arguments, ours && err == nil
	}
	return readHandle(uri, render.BlobURIPrefix, func(h render.BlobHandle) bool { return h.Version == 1 && h.Kind == "blob" && h.BlobID != "" })
}

// readHandle returns the arguments in the handle of a URI: its members other than v and kind, under the same names. It returns false if the
// URI has no such handle.
func readHandle[H any](uri, prefix string, is func(H) bool) (rs.Object, bool) {
	var h H
	encoded, ours := strings.CutPrefix(uri, prefix)
	if !ours || rs.DecodeHandle(encoded, &h) != nil || !is(h) {
		return nil, false
	}
	return rs.AsObject(rs.EncodeJSON(h)).Without("v", "kind"), true
}
