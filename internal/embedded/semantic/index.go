// Package semantic finds records by meaning. It gets the vectors of the texts of a store from an embeddings endpoint.
package semantic

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Bounds of indexing by meaning.
const (
	recordsRead = 64 // of a stream in one step
	queryTime   = 15 * time.Second
	shortestGap = time.Second // before a failed endpoint is asked again; it doubles each time
	longestGap  = time.Minute
)

// An Index has the vectors of the texts of a loaded store. [Index.Run] makes them in the background while the store is served; until they
// are complete, each answer warns.
type Index struct {
	store  *store.Store
	client *embedding.Client
	// Wait waits before a failed endpoint is asked again. It may be replaced before Run.
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

// New returns the index of a loaded store. [Index.Run] opens and completes its vectors.
func New(from *store.Store, client *embedding.Client) *Index {
	return &Index{store: from, client: client, Wait: waitFor}
}

func waitFor(ctx context.Context, gap time.Duration) error {
	over, stop := context.WithTimeout(ctx, gap)
	defer stop()
	<-over.Done()
	return ctx.Err()
}

// Progress returns how far Run has come.
func (x *Index) Progress() Progress {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.progress
}

// Run makes the missing vectors, or all of them if the model or its dimension has changed. It asks a failing endpoint again, with growing
// delays, until the context ends. Report is called on progress and after each failure of the endpoint.
func (x *Index) Run(ctx context.Context, report func(Progress)) error {
	index, err := x.store.Vectors(ctx, fmt.Sprintf("%s in parts of %d", x.client.Model(), partSize))
	if err != nil {
		return err
	}
	r := &run{Index: x, index: index, report: func(Progress) {}}
	if err := r.count(ctx); err != nil {
		return err
	}
	r.report = report
	x.mu.Lock()
	x.opened = index
	x.mu.Unlock()
	for gap := shortestGap; ; gap = min(2*gap, longestGap) {
		before := x.Progress().Done
		err := r.indexAll(ctx)
		if _, refused := errors.AsType[*endpointError](err); !refused || ctx.Err() != nil {
			return err
		}
		if x.Progress().Done > before {
			gap = shortestGap
		}
		r.note(func(p *Progress) { p.Err = err })
		if err := x.Wait(ctx, gap); err != nil {
			return err
		}
	}
}

// An endpointError is a failure of the endpoint. Run tries again after it.
type endpointError struct{ error }

func (e *endpointError) Unwrap() error { return e.error }

// A run is one call of [Index.Run].
type run struct {
	*Index
	index  *vectors.Index
	report func(Progress)
	probed bool // the endpoint has the dimension of the index
}

func (r *run) note(change func(*Progress)) {
	r.mu.Lock()
	change(&r.progress)
	now := r.progress
	r.mu.Unlock()
	r.report(now)
}

// tables returns the tables of streams that are searched by meaning.
func (x *Index) tables() []*store.Table {
	return slices.DeleteFunc(slices.Clone(x.store.Catalog().Tables), func(t *store.Table) bool {
		return !slices.ContainsFunc(t.Lexical, store.HasMeaning)
	})
}

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
	r.note(func(p *Progress) { p.Records, p.Done, p.Complete = records, done, false })
	return nil
}

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

// probe requests one vector. If its dimension differs from that of the stored vectors, another model made those: they are dropped.
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

// indexSome makes the vectors of the next records of a stream, and reports whether there may be more.
func (r *run) indexSome(ctx context.Context, t *store.Table) (more bool, err error) {
	done, err := r.index.Done(ctx, t.Name)
	if err != nil {
		return false, err
	}
	var places []vectors.Part
	var texts []string
	read := 0
	err = r.store.Following(ctx, t, done, recordsRead, func(record store.Record, source int) error {
		for number, part := range PartsOf(t, rs.AsObject(string(record.Data))) {
			places = append(places, vectors.Part{
				Version: uint32(record.Version), Source: uint16(source), // #nosec G115 -- a store has far fewer
				Column: uint16(part.Column), Number: uint16(number), // #nosec G115 -- a record has far fewer
			})
			texts = append(texts, part.Text)
		}
		read, done = read+1, record.Version
		return nil
	})
	if err != nil || read == 0 {
		return false, err
	}
	made, err := r.embed(ctx, texts)
	if err != nil {
		return false, err
	}
	// A record has all of its vectors or none.
	if err := r.index.Add(ctx, t.Name, done, places, made); err != nil {
		return false, err
	}
	r.note(func(p *Progress) { p.Done, p.Err = p.Done+read, nil })
	return read == recordsRead, nil
}

// embed requests the vectors of texts, at most embedding.MaxTexts at a time.
func (r *run) embed(ctx context.Context, texts []string) (made [][]float32, err error) {
	dimension := r.index.Dimension()
	for some := range slices.Chunk(texts, embedding.MaxTexts) {
		vectors, err := r.client.Embed(ctx, some)
		if err != nil {
			return nil, &endpointError{err}
		}
		if dimension == 0 {
			dimension = len(vectors[0])
		}
		if len(vectors[0]) != dimension {
			r.probed = false
			return nil, &endpointError{errors.New("the embeddings endpoint changed the dimension of its vectors")}
		}
		made = append(made, vectors...)
	}
	return made, nil
}
