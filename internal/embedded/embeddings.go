package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

// Bounds of indexing by meaning.
const (
	partSize    = 1000 // code points of a text that get a vector of their own: less than what small models take
	recordsRead = 64   // of a stream at a time
	queryTime   = 15 * time.Second
	shortestGap = time.Second // before an endpoint that failed is asked again; twice as long each time
	longestGap  = time.Minute
)

// Embeddings are the vectors of the texts of a loaded store. They are made behind serving by [Embeddings.Run], and until they are
// complete each answer says so.
type Embeddings struct {
	store  *Store
	client *embedding.Client
	wait   func(context.Context, time.Duration) error

	mu       sync.Mutex
	index    *vectors.Index // nil until Run has opened it
	progress EmbeddingProgress
}

// EmbeddingProgress says how many records have their vectors.
type EmbeddingProgress struct {
	Done, Records int
	Complete      bool
	Err           error // why the endpoint's last answer could not be used; nil if it could
}

// NewEmbeddings prepares the embeddings of a loaded store.
func NewEmbeddings(store *Store, client *embedding.Client) *Embeddings {
	return &Embeddings{store: store, client: client, wait: waitFor}
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
func (e *Embeddings) Progress() EmbeddingProgress {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.progress
}

// Run makes the vectors that are missing: all of them if the model or its dimension is another one than theirs. It asks an endpoint that
// fails again, later and later, until the context ends. Report, which may be nil, is called when there is progress or a new failure.
func (e *Embeddings) Run(ctx context.Context, report func(EmbeddingProgress)) error {
	index, err := vectors.Open(ctx, e.store.db, fmt.Sprintf("%s in parts of %d", e.client.Model(), partSize))
	if err != nil {
		return err
	}
	r := &embeddingRun{Embeddings: e, index: index, report: report}
	if err := r.count(ctx); err != nil {
		return err
	}
	e.mu.Lock()
	e.index = index
	e.mu.Unlock()
	for gap := shortestGap; ; gap = min(2*gap, longestGap) {
		before := r.Progress().Done
		err := r.indexAll(ctx)
		if _, refused := errors.AsType[*endpointError](err); !refused || ctx.Err() != nil {
			return err
		}
		if r.Progress().Done > before {
			gap = shortestGap
		}
		r.note(func(p *EmbeddingProgress) { p.Err = err })
		if err := e.wait(ctx, gap); err != nil {
			return err
		}
	}
}

// An endpointError is a failure of the endpoint, which may pass.
type endpointError struct{ err error }

func (e *endpointError) Error() string { return e.err.Error() }

func (e *endpointError) Unwrap() error { return e.err }

// An embeddingRun makes the vectors of one start.
type embeddingRun struct {
	*Embeddings
	index  *vectors.Index
	report func(EmbeddingProgress)
	probed bool // the endpoint's dimension is known to be that of the index
}

func (r *embeddingRun) note(change func(*EmbeddingProgress)) {
	r.mu.Lock()
	change(&r.progress)
	now := r.progress
	r.mu.Unlock()
	if r.report != nil {
		r.report(now)
	}
}

// embeddedTables are the tables of streams with texts that have a meaning.
func (e *Embeddings) embeddedTables() []*table {
	var tables []*table
	for _, t := range e.store.catalog.Load().tables {
		for _, field := range t.lexical {
			if isEmbedded(field) {
				tables = append(tables, t)
				break
			}
		}
	}
	return tables
}

// count finds how many records there are, and how many have their vectors.
func (r *embeddingRun) count(ctx context.Context) error {
	records, done := 0, 0
	for _, t := range r.embeddedTables() {
		upTo, err := r.index.Done(ctx, t.name)
		if err != nil {
			return err
		}
		var all, have int
		err = r.store.db.QueryRowContext(ctx, fmt.Sprintf("SELECT count(*), count(*) FILTER (WHERE version <= ?) FROM %s", t.name), upTo).Scan(&all, &have)
		if err != nil {
			return err
		}
		records, done = records+all, done+have
	}
	r.mu.Lock()
	r.progress.Records, r.progress.Done = records, done
	r.mu.Unlock()
	return nil
}

// indexAll makes the vectors of each stream in turn.
func (r *embeddingRun) indexAll(ctx context.Context) error {
	if err := r.probe(ctx); err != nil {
		return err
	}
	for _, t := range r.embeddedTables() {
		for more := true; more; {
			var err error
			if more, err = r.indexSome(ctx, t); err != nil {
				return err
			}
		}
	}
	r.note(func(p *EmbeddingProgress) { p.Complete = true })
	return nil
}

// probe asks for one vector. If its dimension is not that of the vectors that are kept, the model is not the one that made them.
func (r *embeddingRun) probe(ctx context.Context) error {
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
	r.note(func(p *EmbeddingProgress) { p.Err = nil })
	return nil
}

// A partOfRecord is a piece of text that gets a vector.
type partOfRecord struct {
	vectors.Part
	text string
}

// indexSome makes the vectors of the next records of a stream, and reports whether there may be more.
func (r *embeddingRun) indexSome(ctx context.Context, t *table) (more bool, err error) {
	done, err := r.index.Done(ctx, t.name)
	if err != nil {
		return false, err
	}
	var parts []partOfRecord
	read := 0
	catalog := r.store.catalog.Load()
	query := fmt.Sprintf("SELECT version, connection, data FROM %s WHERE version > ? ORDER BY version LIMIT ?", t.name)
	err = r.store.each(ctx, query, []any{done, recordsRead}, func(rows *sql.Rows) error {
		var version int64
		var connection int
		var data sql.RawBytes
		if err := rows.Scan(&version, &connection, &data); err != nil {
			return err
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(data, &fields); err != nil {
			return fmt.Errorf("stored record: %w", err)
		}
		for number, part := range t.meaningfulParts(fields) {
			parts = append(parts, partOfRecord{vectors.Part{
				Version: uint32(version), Source: uint16(catalog.sourceNumber(t, connection)), // #nosec G115 -- a store has far fewer
				Column: uint16(part.column), Number: uint16(number), // #nosec G115 -- a record has far fewer
			}, part.text})
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
	r.note(func(p *EmbeddingProgress) { p.Done, p.Err = p.Done+read, nil })
	return read == recordsRead, nil
}

// embed asks for the vectors of parts, some at a time, and stores them at once: a record has all of its vectors or none.
func (r *embeddingRun) embed(ctx context.Context, t *table, done int64, parts []partOfRecord) error {
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
	return r.index.Add(ctx, t.name, done, places, made)
}

// isEmbedded reports whether a field has texts with a meaning. A name has none.
func isEmbedded(field model.Field) bool { return field.Lexical && field.Role != "actor" }

// A meaningfulPart is a piece of a text of a record.
type meaningfulPart struct {
	column int    // of its field among those searched
	path   string // by which a field window reads the text
	start  int    // in code points of the text
	text   string
}

// meaningfulParts splits the texts of a record, always in the same way: a vector knows the number of its part alone.
func (t *table) meaningfulParts(fields map[string]json.RawMessage) []meaningfulPart {
	var parts []meaningfulPart
	for column, field := range t.lexical {
		if !isEmbedded(field) {
			continue
		}
		for _, leaf := range textsIn(fields[field.Name], field.Name) {
			start := 0
			for rest := leaf.text; rest != ""; {
				size := partEnd(rest)
				if strings.TrimSpace(rest[:size]) != "" {
					parts = append(parts, meaningfulPart{column: column, path: leaf.path, start: start, text: rest[:size]})
				}
				start += utf8.RuneCountInString(rest[:size])
				rest = rest[size:]
			}
		}
	}
	return parts
}

// partEnd returns how many bytes of a text are its first part, which ends at white space if there is any in its second half.
func partEnd(text string) int {
	runes, space := 0, 0
	for at, r := range text {
		if runes == partSize {
			if space > 0 {
				return space
			}
			return at
		}
		if runes++; runes > partSize/2 && (r == ' ' || r == '\n') {
			space = at + 1
		}
	}
	return len(text)
}
