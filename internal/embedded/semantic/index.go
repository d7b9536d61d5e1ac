// Package semantic makes vectors of the texts of a store, by an embeddings endpoint, and finds records by meaning.
package semantic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// Bounds of indexing by meaning.
const (
	recordsRead = 64 // of a stream at a time
	queryTime   = 15 * time.Second
	shortestGap = time.Second // before an endpoint that failed is asked again; twice as long each time
	longestGap  = time.Minute
)

// An Index is the vectors of the texts of a loaded store. They are made behind serving by [Index.Run], and until they are
// complete each answer says so.
type Index struct {
	store  *store.Store
	client *embedding.Client
	// Wait lets the time pass before an endpoint that failed is asked again. It may be replaced before Run.
	Wait func(context.Context, time.Duration) error

	mu       sync.Mutex
	opened   *vectors.Index // nil until Run has opened it
	progress Progress
}

// Progress says how many records have their vectors.
type Progress struct {
	Done, Records int
	Complete      bool
	Err           error // why the endpoint's last answer could not be used; nil if it could
}

// New prepares the embeddings of a loaded store.
func New(from *store.Store, client *embedding.Client) *Index {
	return &Index{store: from, client: client, Wait: waitFor}
}

func waitFor(ctx context.Context, gap time.Duration) error {
	timer := time.NewTimer(gap)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Progress returns how far Run is.
func (x *Index) Progress() Progress {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.progress
}

// Run makes the vectors that are missing: all of them if the model or its dimension is another one than theirs. It asks an endpoint that
// fails again, later and later, until the context ends. Report, which may be nil, is called when there is progress or a new failure.
func (x *Index) Run(ctx context.Context, report func(Progress)) error {
	index, err := x.store.Vectors(ctx, fmt.Sprintf("%s in parts of %d", x.client.Model(), partSize))
	if err != nil {
		return err
	}
	r := &run{Index: x, index: index, report: report}
	if err := r.count(ctx); err != nil {
		return err
	}
	x.mu.Lock()
	x.opened = index
	x.mu.Unlock()
	for gap := shortestGap; ; gap = min(2*gap, longestGap) {
		before := r.Progress().Done
		err := r.indexAll(ctx)
		if _, refused := errors.AsType[*endpointError](err); !refused || ctx.Err() != nil {
			return err
		}
		if r.Progress().Done > before {
			gap = shortestGap
		}
		r.note(func(p *Progress) { p.Err = err })
		if err := x.Wait(ctx, gap); err != nil {
			return err
		}
	}
}

// An endpointError is a failure of the endpoint, which may pass.
type endpointError struct{ err error }

func (e *endpointError) Error() string { return e.err.Error() }

func (e *endpointError) Unwrap() error { return e.err }

// A run makes the vectors of one start.
type run struct {
	*Index
	index  *vectors.Index
	report func(Progress)
	probed bool // the endpoint's dimension is known to be that of the index
}

func (r *run) note(change func(*Progress)) {
	r.mu.Lock()
	change(&r.progress)
	now := r.progress
	r.mu.Unlock()
	if r.report != nil {
		r.report(now)
	}
}

// tables are the tables of streams with texts that have a meaning.
func (x *Index) tables() []*store.Table {
	var tables []*store.Table
	for _, t := range x.store.Catalog().Tables {
		for _, field := range t.Lexical {
			if store.HasMeaning(field) {
				tables = append(tables, t)
				break
			}
		}
	}
	return tables
}

// count finds how many records there are, and how many have their vectors.
func (r *run) count(ctx context.Context) error {
	records, done := 0, 0
	for _, t := range r.tables() {
		upTo, err := r.index.Done(ctx, t.Name)
		if err != nil {
			return err
		}
		all, have, err := r.store.CountUpTo(ctx, t, upTo)
		if err != nil {
			return err
		}
		records, done = records+all, done+have
	}
	r.mu.Lock()
	r.progress.Records, r.progress.Done, r.progress.Complete = records, done, false
	r.mu.Unlock()
	return nil
}

// indexAll makes the vectors of each stream in turn.
func (r *run) indexAll(ctx context.Context) error {
	if err := r.probe(ctx); err != nil {
		return err
	}
	for _, t := range r.tables() {
		for more := true; more; {
			var err error
			if more, err = r.indexSome(ctx, t); err != nil {
				return err
			}
		}
	}
	r.note(func(p *Progress) { p.Complete = true })
	return nil
}

// probe asks for one vector. If its dimension is not that of the vectors that are kept, the model is not the one that made them.
func (r *run) probe(ctx context.Context) error {
	if r.probed {
		return nil
	}
	one, err := r.client.Embed(ctx, []string{"dimension"})
	if err != nil {
		return &endpointError{err}
	}
	if kept := r.index.Dimension(); kept != 0 && kept != len(one[0]) {
		if err := r.index.Reset(ctx); err != nil {
			return err
		}
		if err := r.count(ctx); err != nil {
			return err
		}
	}
	r.probed = true
	r.note(func(p *Progress) { p.Err = nil })
	return nil
}

// A partOfRecord is a piece of text that gets a vector.
type partOfRecord struct {
	vectors.Part
	text string
}

// indexSome makes the vectors of the next records of a stream, and reports whether there may be more.
func (r *run) indexSome(ctx context.Context, t *store.Table) (more bool, err error) {
	done, err := r.index.Done(ctx, t.Name)
	if err != nil {
		return false, err
	}
	var parts []partOfRecord
	read := 0
	err = r.store.Following(ctx, t, done, recordsRead, func(version int64, source int, data []byte) error {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return fmt.Errorf("stored record: %w", err)
		}
		for number, part := range partsOf(t, fields) {
			parts = append(parts, partOfRecord{vectors.Part{
				Version: uint32(version), Source: uint16(source), // #nosec G115 -- a store has far fewer
				Column: uint16(part.Column), Number: uint16(number), // #nosec G115 -- a record has far fewer
			}, part.Text})
		}
		read, done = read+1, version
		return nil
	})
	if err != nil || read == 0 {
		return false, err
	}
	if err := r.embed(ctx, t, done, parts); err != nil {
		return false, err
	}
	r.note(func(p *Progress) { p.Done, p.Err = p.Done+read, nil })
	return read == recordsRead, nil
}

// embed asks for the vectors of parts, some at a time, and stores them at once: a record has all of its vectors or none.
func (r *run) embed(ctx context.Context, t *store.Table, done int64, parts []partOfRecord) error {
	places, made := make([]vectors.Part, len(parts)), make([][]float32, 0, len(parts))
	for i, part := range parts {
		places[i] = part.Part
	}
	for at := 0; at < len(parts); at += embedding.MaxTexts {
		var texts []string
		for _, part := range parts[at:min(at+embedding.MaxTexts, len(parts))] {
			texts = append(texts, part.text)
		}
		some, err := r.client.Embed(ctx, texts)
		if err != nil {
			return &endpointError{err}
		}
		if kept := r.index.Dimension(); kept != 0 && len(some[0]) != kept || at > 0 && len(some[0]) != len(made[0]) {
			r.probed = false
			return &endpointError{errors.New("the embeddings endpoint changed the dimension of its vectors")}
		}
		made = append(made, some...)
	}
	return r.index.Add(ctx, t.Name, done, places, made)
}
