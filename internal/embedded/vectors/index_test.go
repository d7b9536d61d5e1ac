package vectors

import (
	"database/sql"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

func database(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func opened(t testing.TB, db *sql.DB, mark string) *Index {
	t.Helper()
	x, err := Open(t.Context(), db, mark)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func all(Part) bool { return true }

func versions(found []Near) []uint32 {
	var of []uint32
	for _, one := range found {
		of = append(of, one.Version)
	}
	return of
}

func TestVectorsAreKept(t *testing.T) {
	db := database(t)
	x := opened(t, db, "a")
	parts := []Part{{Version: 1, Source: 1}, {Version: 2, Source: 1}, {Version: 2, Source: 1, Column: 1, Number: 1}, {Version: 9, Source: 2}}
	if err := x.Add(t.Context(), "s0", 2, parts[:3], [][]float32{{1, 0}, {0, 1}, {0.8, 0.6}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Add(t.Context(), "s1", 9, parts[3:], [][]float32{{-1, 0}}); err != nil {
		t.Fatal(err)
	}
	if err := x.Add(t.Context(), "s2", 12, nil, nil); err != nil { // records without text
		t.Fatal(err)
	}
	for _, x := range []*Index{x, opened(t, db, "a")} {
		found := x.Nearest([]float32{1, 0}, 9, all)
		if diff := cmp.Diff([]uint32{1, 2, 9}, versions(found)); diff != "" || found[1].Number != 1 {
			t.Errorf("nearest (-want +got):\n%s", diff)
		}
		for i, want := range []float64{1, 0.8, -1} {
			if got := float64(found[i].Similarity); math.Abs(got-want) > 0.01 {
				t.Errorf("similarity %v, want %v", got, want)
			}
		}
		if diff := cmp.Diff([]uint32{2}, versions(x.Nearest([]float32{1, 0}, 9, func(p Part) bool { return p.Source == 1 && p.Column == 1 }))); diff != "" {
			t.Errorf("of one field (-want +got):\n%s", diff)
		}
		if done, err := x.Done(t.Context(), "s2"); done != 12 || err != nil {
			t.Errorf("done %d, %v", done, err)
		}
		if got := x.Nearest([]float32{1, 0, 0}, 9, all); got != nil || x.Dimension() != 2 {
			t.Errorf("another dimension finds %v", got)
		}
	}
	other := opened(t, db, "b")
	if done, err := other.Done(t.Context(), "s0"); done != 0 || err != nil || other.Dimension() != 0 || other.Nearest([]float32{1, 0}, 9, all) != nil {
		t.Errorf("vectors of another mark are kept: done %d, %v", done, err)
	}
}

// TestBytesKeepSimilarities compares the similarities of quantized vectors with those of the original ones.
func TestBytesKeepSimilarities(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a test
	query, vectors, parts := unit(random), [][]float32{}, []Part{}
	for i := range 5000 {
		vectors, parts = append(vectors, unit(random)), append(parts, Part{Version: uint32(i)})
	}
	x := opened(t, database(t), "a")
	if err := x.Add(t.Context(), "s0", 1, parts, vectors); err != nil {
		t.Fatal(err)
	}
	if few, most := x.Nearest(query, 20, all), x.Nearest(query, 5000, all); !cmp.Equal(few, most[:20]) || len(most) != 5000 {
		t.Error("the nearest 20 are not the first of all")
	}
	for _, one := range x.Nearest(query, 5000, all) {
		var want float64
		for i, value := range vectors[one.Version] {
			want += float64(value) * float64(query[i])
		}
		if math.Abs(float64(one.Similarity)-want) > 0.01 {
			t.Fatalf("similarity %v, want %v", one.Similarity, want)
		}
	}
}

func unit(random *rand.Rand) []float32 {
	vector := make([]float32, 384)
	var sum float64
	for i := range vector {
		vector[i] = float32(random.NormFloat64())
		sum += float64(vector[i]) * float64(vector[i])
	}
	for i := range vector {
		vector[i] /= float32(math.Sqrt(sum))
	}
	return vector
}

// BenchmarkNearest compares 100,000 vectors of dimension 384.
func BenchmarkNearest(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a benchmark
	x := &Index{vectorSet: vectorSet{dimension: 384}}
	for i := range 100_000 {
		x.keep(Part{Version: uint32(i)}, pack(unit(random)))
	}
	query := unit(random)
	for b.Loop() {
		x.Nearest(query, 20, all)
	}
}
