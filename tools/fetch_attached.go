package tools

import (
	"context"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// How much of what is attached to a record a fetch reads.
const (
	maxAttachedTexts = 3
	maxAttachedBytes = 64 << 10 // of each
)

// A fetcher is the core of fetch.
type fetcher struct{ schemas *schemaCache }

// forward reads a record and then the texts that are attached to it or to what was expanded, in parallel. One that cannot be read, or
// is not what it was said to be, is named only. Of a record that is asked for as such it also learns which relations it has, from the
// schema, which is held for a minute; where that cannot be read, none are named.
func (f fetcher) forward(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(fetchArgs)
	var response *rs.Response
	var related []string
	reads := 1
	if len(args.fields) == 0 && !args.expansion.asked() {
		reads = 2
	}
	err := inParallel(ctx, reads, func(ctx context.Context, i int) (err error) {
		if i == 1 {
			related = f.schemas.fieldsOf(ctx, call.RS, call.Scope).relations
			return nil
		}
		response, err = call.RS.Do(ctx, args.Request(call.Scope))
		return err
	})
	if err != nil {
		return Reply{Call: call, Answer: Answer{Response: response}}, err
	}
	attached := render.AttachedTo(response, call.Scope.ConnectionID, args.fields)
	var texts []*render.Attached
	for i := range attached {
		if a := &attached[i]; a.IsText() && a.Bytes > 0 && a.Bytes <= maxAttachedBytes && len(texts) < maxAttachedTexts {
			texts = append(texts, a)
		}
	}
	ctx, cancel := withinDeadline(ctx)
	defer cancel()
	_ = inParallel(ctx, len(texts), func(ctx context.Context, i int) error {
		texts[i].Text = readAttached(ctx, call.RS, texts[i])
		return nil
	})
	return Reply{Call: call, Answer: Answer{Response: response, Attached: attached, Related: related}}, nil
}

// readAttached is an attached text; "" where it cannot be read, is too long, or is not text in UTF-8.
func readAttached(ctx context.Context, d rs.Doer, a *render.Attached) string {
	request := rs.Request{Path: rs.Path("blobs", a.BlobID), Query: url.Values{}, Binary: true, ConnectionID: a.ConnectionID}
	response, err := d.Do(ctx, request)
	if err != nil || !strings.HasPrefix(response.ContentType, "text/") || len(response.Body) > maxAttachedBytes || !utf8.ValidString(response.Body) {
		return ""
	}
	return response.Body
}
