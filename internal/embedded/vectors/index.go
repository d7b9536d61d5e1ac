// Package vectors stores the vectors of texts, and finds those nearest to a query by comparing all of them. That is fast enough for a
// person's archive: 100,000 vectors of dimension 384 take some 50 ms. In SQLite and in memory each number is scaled to a byte, which
// changes no similarity by more than a hundredth.
package vectors

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"sync"
)

// A Part is a piece of a field's text.
type Part struct {
	Version uint32 // of its record
	Source  uint16 // number of the stream and connection of its record
	Column  uint16 // number of its field among those searched
	Number  uint16 // among the parts of its record
}

// A Near is a record with the part of it that is nearest to a query.
type Near struct {
	Part
	Similarity float32 // cosine, from -1 to 1
}

// An Index has the vectors of a store. It is safe for concurrent use by readers and one writer.
type Index struct {
	db *sql.DB
	mu sync.RWMutex
	vectorSet
}

// A vectorSet has the vectors in memory. It only grows, so that a copy of it can be read while vectors are added.
type vectorSet struct {
	dimension int // 0 until the first vector is there
	parts     []Part
	scales    []float32
	values    []int8
}

// Names of the tables of an index. Facts are the mark of the vectors and, for each stream, the version up to which records have vectors.
const (
	Table     = "vectors"
	FactTable = "vector_facts"
)

const create = "CREATE TABLE IF NOT EXISTS " + Table + ` (
		version INTEGER NOT NULL, source INTEGER NOT NULL, field INTEGER NOT NULL, number INTEGER NOT NULL,
		vector BLOB NOT NULL);
	CREATE TABLE IF NOT EXISTS ` + FactTable + " (name TEXT PRIMARY KEY, value NOT NULL)"

const (
	factMark = "mark"
	setFact  = "INSERT OR REPLACE INTO " + FactTable + " (name, value) VALUES (?, ?)"
)

// Open reads the vectors of a store. The mark identifies what made them, such as a model: vectors with another mark are dropped.
func Open(ctx context.Context, db *sql.DB, mark string) (*Index, error) {
	x := &Index{db: db}
	if _, err := db.ExecContext(ctx, create); err != nil {
		return nil, err
	}
	var made string
	if err := x.fact(ctx, factMark, &made); err != nil {
		return nil, err
	}
	if made == mark {
		return x, x.read(ctx)
	}
	if err := x.Reset(ctx); err != nil {
		return nil, err
	}
	_, err := db.ExecContext(ctx, setFact, factMark, mark)
	return x, err
}

// fact reads a fact, and leaves value as it is if there is none.
func (x *Index) fact(ctx context.Context, name string, value any) error {
	err := x.db.QueryRowContext(ctx, "SELECT value FROM "+FactTable+" WHERE name = ?", name).Scan(value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

func (x *Index) read(ctx context.Context) (err error) {
	rows, err := x.db.QueryContext(ctx, "SELECT version, source, field, number, vector FROM "+Table+" ORDER BY rowid")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var p Part
		var stored sql.RawBytes
		if err := rows.Scan(&p.Version, &p.Source, &p.Column, &p.Number, &stored); err != nil {
			return err
		}
		if len(stored) <= 4 || len(x.parts) > 0 && len(stored) != 4+x.dimension {
			return errors.New("a stored vector is damaged")
		}
		x.keep(p, stored)
	}
	return rows.Err()
}

// Reset drops all vectors, but keeps the mark. It deletes the facts that say which vectors exist before the vectors.
func (x *Index) Reset(ctx context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.vectorSet = vectorSet{}
	_, err := x.db.ExecContext(ctx, "DELETE FROM "+FactTable+" WHERE name <> '"+factMark+"'; DELETE FROM "+Table)
	return err
}

// Dimension returns the dimension of the vectors, 0 if there are none.
func (x *Index) Dimension() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.dimension
}

// Done returns the version up to which the records of a stream have vectors.
func (x *Index) Done(ctx context.Context, stream string) (version int64, err error) {
	err = x.fact(ctx, "done "+stream, &version)
	return version, err
}

// Add stores the vectors of parts, and that the records of a stream have vectors up to version done, in one transaction. Vectors have
// length 1 and the dimension of those before.
func (x *Index) Add(ctx context.Context, stream string, done int64, parts []Part, vectors [][]float32) error {
	tx, err := x.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, setFact, "done "+stream, done); err != nil {
		return err
	}
	stored := make([][]byte, len(parts))
	for i, p := range parts {
		stored[i] = pack(vectors[i])
		if _, err := tx.ExecContext(ctx, "INSERT INTO "+Table+" (version, source, field, number, vector) VALUES (?, ?, ?, ?, ?)",
			p.Version, p.Source, p.Column, p.Number, stored[i]); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i, p := range parts {
		x.keep(p, stored[i])
	}
	return nil
}

func (k *vectorSet) keep(p Part, stored []byte) {
	k.dimension = len(stored) - 4
	k.parts = append(k.parts, p)
	k.scales = append(k.scales, math.Float32frombits(binary.LittleEndian.Uint32(stored)))
	for _, value := range stored[4:] {
		k.values = append(k.values, int8(value)) // #nosec G115 -- it was one
	}
}

// pack scales a vector to bytes: the size of a step, a float32, followed by each number in steps.
func pack(vector []float32) []byte {
	var most float32
	for _, x := range vector {
		most = max(most, x, -x)
	}
	scale := most / 127
	stored := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(vector)), math.Float32bits(scale))
	for _, x := range vector {
		stored = append(stored, byte(int8(math.Round(float64(x/scale))))) // #nosec G115 -- from -127 to 127
	}
	return stored
}

// Nearest returns at most limit records with a part for which see reports true, each once, the nearest first, of equally near ones the
// latest. The query has length 1. If its dimension is not that of the vectors, the result is nil.
func (x *Index) Nearest(query []float32, limit int, see func(Part) bool) []Near {
	x.mu.RLock()
	k := x.vectorSet
	x.mu.RUnlock()
	if k.dimension != len(query) {
		return nil
	}
	var found []Near // one per record: the parts of a record are adjacent
	for i, p := range k.parts {
		if !see(p) {
			continue
		}
		near := Near{p, k.scales[i] * dot(query, k.values[i*k.dimension:(i+1)*k.dimension])}
		switch last := len(found) - 1; {
		case last < 0 || found[last].Version != p.Version:
			if len(found) >= 2*limit+1000 { // sorting now and then costs less than sorting all
				found = nearest(found, limit)
			}
			found = append(found, near)
		case near.Similarity > found[last].Similarity:
			found[last] = near
		}
	}
	return nearest(found, limit)
}

func nearest(found []Near, limit int) []Near {
	slices.SortFunc(found, func(a, b Near) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), cmp.Compare(b.Version, a.Version))
	})
	return found[:min(limit, len(found))]
}

// dot multiplies two vectors of the same dimension. Four sums at a time are faster than one.
func dot(a []float32, b []int8) float32 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * float32(b[i])
		s1 += a[i+1] * float32(b[i+1])
		s2 += a[i+2] * float32(b[i+2])
		s3 += a[i+3] * float32(b[i+3])
	}
	for ; i < len(a); i++ {
		s0 += a[i] * float32(b[i])
	}
	return s0 + s1 + s2 + s3
}
