package tools

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
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
				return resourceCall(tool("list_streams"), uri, map[string]any{})
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
				return resourceCall(tool("schema"), uri, map[string]any{"stream": name})
			},
		},
		{
			URI: rs.RecordURIPrefix + "{+record}", Template: true, Name: "record", Title: "One record", MIMEType: "application/json",
			Description: "One record as a document.",
			Call: func(uri string) (Call, error) {
				if _, err := rs.ParseRef(uri); err != nil || !strings.HasPrefix(uri, rs.RecordURIPrefix) {
					return Call{}, invalidURI(uri)
				}
				return resourceCall(tool("fetch"), uri, map[string]any{"id": uri})
			},
		},
		{
			URI: render.WindowURIPrefix + "{handle}", Template: true, Name: "field-window", Title: "Part of a text field", MIMEType: "application/json",
			Description: "One part of a long text field.",
			Call: func(uri string) (Call, error) {
				args, err := windowArguments(uri)
				if err != nil {
					return Call{}, err
				}
				return resourceCall(tool("read_record_field"), uri, args)
			},
		},
		{
			URI: render.BlobURIPrefix + "{handle}", Template: true, Name: "blob", Title: "One attachment",
			Description: "The bytes of one attachment.",
			Call: func(uri string) (Call, error) {
				var handle render.BlobHandle
				encoded, ours := strings.CutPrefix(uri, render.BlobURIPrefix)
				err := rs.DecodeHandle(encoded, &handle)
				if !ours || err != nil || handle.Version != 1 || handle.Kind != "blob" || handle.BlobID == "" {
					return Call{}, invalidURI(uri)
				}
				args := map[string]any{"blob_id": handle.BlobID}
				if handle.ConnectionID != "" {
					args["connection_id"] = handle.ConnectionID
				}
				return resourceCall(tool("fetch_blob"), uri, args)
			},
		},
	}
}

// windowArguments turns a field-window address into the arguments that its tool takes.
func windowArguments(uri string) (map[string]any, error) {
	var h render.WindowHandle
	encoded, ours := strings.CutPrefix(uri, render.WindowURIPrefix)
	err := rs.DecodeHandle(encoded, &h)
	if !ours || err != nil || h.Version != 1 || h.Kind != "field_window" || h.ID == "" || h.Field == "" {
		return nil, invalidURI(uri)
	}
	args := map[string]any{"id": h.ID, "field": h.Field}
	for name, value := range map[string]int{"offset_chars": h.OffsetChars, "limit_chars": h.LimitChars} {
		if value != 0 {
			args[name] = value
		}
	}
	for name, value := range map[string]*int{"before_chars": h.BeforeChars, "after_chars": h.AfterChars} {
		if value != nil {
			args[name] = *value
		}
	}
	if h.Q != "" {
		args["q"] = h.Q
	}
	return args, nil
}

func resourceCall(tool *Tool, uri string, arguments map[string]any) (Call, error) {
	raw, err := json.Marshal(arguments)
	if err != nil {
		return Call{}, invalidURI(uri)
	}
	return Call{Tool: tool, Raw: raw, URI: uri}, nil
}

func invalidURI(uri string) *rs.Error {
	return &rs.Error{
		Code: rs.InvalidURI, Param: "uri",
		Message: fmt.Sprintf("The resource URI %s is not one of this server.", quote(uri)),
		Hint:    "Read pdpp://streams, pdpp://stream/{name}, or a pdpp:// URI that a result carried in its _meta.",
	}
}
