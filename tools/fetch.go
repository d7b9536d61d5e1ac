package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// fetchTool reads one record as a document. recordBase is the public URL of the resource server, for citations.
func fetchTool(recordBase string) *Tool {
	return &Tool{
		Name:  "fetch",
		Title: "Fetch",
		Description: "Read one record as a document by the id that search or query_records printed (GET /v1/streams/{stream}/records/{id}). Read-only. " +
			"Structured output and text are the same document, texts attached to it inside. Long texts are cut and read on with read_record_field; name fields to narrow.",
		Input: inputSchema(`"id"`,
			stringProperty("id", "Id as printed: connection_id/stream:record_id or pdpp://record/..."),
			connectionProperty,
			namesProperty("fields", "Fields to return"),
			namesProperty("expand", "Relations to include"),
			expandLimitProperty,
		),
		Output: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"title":{"type":"string"},"text":{"type":"string"},` +
			`"url":{"type":"string"},"metadata":{"type":"object"},` + errorProperty + `}}`),
		Listed: true,
		Decode: decodeFetch,
		Read:   readDocument,
		Render: func(call Call, answer Answer) (render.Result, error) {
			args, q := call.Args.(fetchArgs), answer.document
			q.Ref, q.Fields, q.RecordBase = args.scopedRef(call.Scope), args.fields, recordBase
			return render.Document(answer.Response, q)
		},
	}
}

type fetchArgs struct {
	recordArg
	fields    []string
	expansion expansion
}

func decodeFetch(values rs.Object) (Args, error) {
	a := takes(values, "id", "connection_id", "fields", "expand", "expand_limit")
	a.Required("id", `{"id":"messages:m1"}; search prints ids`)
	return a.done(fetchArgs{recordArg: a.record(), fields: a.Fields(), expansion: a.expansion()})
}

func (f fetchArgs) Scope() (rs.Scope, error) {
	scope, err := f.recordArg.Scope()
	scope.Expands = err == nil && len(f.expansion) > 0
	return scope, err
}

// Request returns GET /v1/streams/{stream}/records/{id}.
func (f fetchArgs) Request(scope rs.Scope) rs.Request {
	r := read.RecordRequest(scope, f.fields)
	maps.Copy(r.Query, f.expansion)
	return r
}

// Limits of what a fetch reads in addition to the record.
const (
	maxAttachedTexts = 3
	maxAttachedBytes = 64 << 10 // of each
	maxFetchedParts  = 3
	maxTargets       = 32 // related streams whose schemas are read

	partsDeadline = 500 * time.Millisecond // for the schema, which lists the parts of a record
)

// readDocument reads a record and then, in parallel, the texts attached to it or to its expanded records. A text that cannot be read, or is
// not text, is only named. If the call names no fields, the record also includes its has_one relations, such as the body of a message, and
// its attached files, in addition to the requested relations; the other relations are named. The schemas list these relations and are
// cached for a minute. If they cannot be read within [partsDeadline], no relations are added; if the resource server refuses the added
// relations, the record is read without them.
func readDocument(ctx context.Context, call Call) (Answer, error) {
	args := call.Args.(fetchArgs)
	var schema known.Stream
	var answer Answer
	document := &answer.document
	more := [][]string{nil} // relations to add: the first that are not refused
	if len(args.fields) == 0 {
		if err := mayRead(ctx, call.Scope); err != nil {
			return Answer{}, err
		}
		schema = partsSchema(ctx, call, call.Scope.Stream) // if this fails, the record is still read
		document.Parts = partsOf(schema, call.Scope.Stream)
		var files []string
		files, document.InnerParts = relatedParts(ctx, call, schema, args.expansion.relations())
		more = [][]string{slices.Concat(document.Parts, files), document.Parts, nil}
	}
	response, expanded, err := args.readWith(ctx, call, more)
	if err != nil {
		return Answer{}, err
	}
	answer.Response = response
	own := ownSchema(schema, call.Scope, answer.Response)
	for _, s := range own.Sources {
		document.TitleField, document.Untitled = s.Title, s.Untitled()
	}
	document.Relations = slices.DeleteFunc(own.Relations, func(name string) bool { return slices.Contains(expanded, name) })
	document.Attached = render.AttachedTo(answer.Response, call.Scope.ConnectionID, args.fields)
	var texts []*render.Attached
	for i := range document.Attached {
		if a := &document.Attached[i]; a.IsText() && a.Bytes > 0 && a.Bytes <= maxAttachedBytes && len(texts) < maxAttachedTexts {
			texts = append(texts, a)
		}
	}
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	read.All(ctx, len(texts), func(ctx context.Context, i int) {
		texts[i].Text = readAttached(ctx, call.RS, texts[i])
	})
	return answer, nil
}

// readWith reads the record with the first of some lists of additional relations that the resource server does not refuse. It returns all
// relations that the record is expanded by.
func (f fetchArgs) readWith(ctx context.Context, call Call, more [][]string) (record *rs.Response, expanded []string, err error) {
	for i, relations := range more {
		one := f
		one.expansion = f.expansion.with(relations)
		if i > 0 && len(one.expansion.relations()) == len(expanded) { // the same relations were refused
			continue
		}
		expanded = one.expansion.relations()
		record, err = call.RS.Do(ctx, one.Request(call.Scope))
		if e := rs.AsError(err); err == nil || e.Status != 400 && e.Code != "response_too_large" {
			break
		}
	}
	return record, expanded, err
}

// partsSchema returns what the schema says of a stream, if it can be read within [partsDeadline].
func partsSchema(ctx context.Context, call Call, stream string) known.Stream {
	ctx, cancel := context.WithTimeout(ctx, partsDeadline)
	defer cancel()
	return call.knownStream(ctx, stream)
}

// ownSchema returns what the schema says of a record's stream under the record's own connection, if that is known: other connections may
// have streams of the same name.
func ownSchema(schema known.Stream, scope rs.Scope, record *rs.Response) known.Stream {
	if scope.ConnectionID = cmp.Or(scope.ConnectionID, rs.ConnectionID(record.Object())); schema.Document != nil {
		schema = known.ReadStream(schema.Document, scope)
	}
	schema.Sources = slices.DeleteFunc(slices.Clone(schema.Sources), func(s known.Source) bool {
		return s.Stream != scope.Stream || scope.ConnectionID != "" && s.Connection.ID != scope.ConnectionID
	})
	return schema
}

// partsOf returns the has_one relations of a stream, at most [maxFetchedParts].
func partsOf(schema known.Stream, stream string) []string {
	var parts []string
	for _, s := range schema.Sources {
		for _, part := range s.Parts {
			if s.Stream == stream && !slices.Contains(parts, part.Name) && len(parts) < maxFetchedParts {
				parts = append(parts, part.Name)
			}
		}
	}
	return parts
}

// relatedParts returns two kinds of relations, by what the schema says of the streams that the call's stream is related to. files are the
// relations to records that have a blob, such as the attachments of a message. inner maps each requested relation to the parts that its
// records have and that are not shown with them, such as the bodies of a thread's messages.
func relatedParts(ctx context.Context, call Call, schema known.Stream, requested []string) (files []string, inner map[string][]string) {
	if schema.Document == nil {
		return nil, nil
	}
	inner = map[string][]string{}
	targets := map[string]known.Stream{} // each is read once: a large schema is not cached
	related := func(stream string) known.Stream {
		if _, isRead := targets[stream]; !isRead && len(targets) < maxTargets {
			targets[stream] = partsSchema(ctx, call, stream)
		}
		return targets[stream]
	}
	for i := range schema.Document.Streams {
		stream := &schema.Document.Streams[i]
		if stream.Name != call.Scope.Stream || !known.HasConnection(stream, call.Scope.ConnectionID) {
			continue
		}
		for _, r := range stream.Relations() {
			if r.Cardinality == "has_one" || r.Target == "" {
				continue
			}
			if len(files) < maxFetchedParts && related(r.Target).HasBlob() {
				files = append(files, r.Name)
			}
			if slices.Contains(requested, r.Name) && inner[r.Name] == nil && len(inner) < maxFetchedParts {
				inner[r.Name] = partsOf(related(r.Target), r.Target)
			}
		}
	}
	return files, inner
}

// readAttached returns an attached text; "" if it cannot be read, is too long, or is not UTF-8 text.
func readAttached(ctx context.Context, d rs.Doer, a *render.Attached) string {
	response, err := d.Do(ctx, fetchBlobArgs{blobID: a.BlobID}.Request(rs.Scope{ConnectionID: a.ConnectionID}))
	if err != nil || !strings.HasPrefix(response.ContentType, "text/") || len(response.Body) > maxAttachedBytes || !utf8.ValidString(response.Body) {
		return ""
	}
	return response.Body
}
