package embedded

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// benchRecords returns the number of records to search: RECORDS, or 100,000.
func benchRecords() int {
	if n, err := strconv.Atoi(os.Getenv("RECORDS")); err == nil {
		return n
	}
	return 100_000
}

// benchCorpus returns chat messages of about 40 words with the usual word frequencies. "often" and "common" are each in a quarter of the
// messages.
func benchCorpus(count int, bytes *int) model.Corpus {
	stream := model.Stream{Name: "messages", PrimaryKey: []string{"id"}, CursorField: "sent_at", ConsentTimeField: "sent_at", Fields: []model.Field{
		{Name: "id", Type: "string", Exact: true}, {Name: "sender", Type: "string", Role: "actor", Exact: true, Lexical: true},
		{Name: "sent_at", Type: "timestamp", Role: "event-time", Exact: true, Range: true},
		{Name: "text", Type: "text", Role: "secondary", Exact: true, Lexical: true},
	}}
	connector := model.Connector{Key: "chat", Connections: []model.Connection{{ID: "cin_chat"}}, Streams: []model.Stream{stream}}
	return model.Corpus{Connectors: []model.Connector{connector}, Records: func(yield func(model.Record, error) bool) {
		random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a benchmark
		words := rand.NewZipf(random, 1.1, 5, 50_000)
		for i := range count {
			var text strings.Builder
			for range 40 {
				fmt.Fprintf(&text, "w%s ", strconv.FormatUint(words.Uint64(), 36))
			}
			for word, one := range map[string]int{"often": 4, "common": 4, "seldom": 20, "rarely": 100, "hardly": 1000} {
				if random.IntN(one) == 0 {
					text.WriteString(word + " ")
				}
			}
			at := testNow.Add(time.Duration(i) * time.Minute)
			data, err := json.Marshal(
				map[string]string{
					"id":      fmt.Sprintf("m%d", i),
					"sender":  fmt.Sprintf("person%d", i%7),
					"sent_at": at.Format(time.RFC3339),
					"text":    text.String(),
				},
			)
			*bytes += len(data) + 1
			if !yield(model.Record{ConnectionID: "cin_chat", Stream: "messages", ID: fmt.Sprintf("m%d", i), EmittedAt: at, Data: data}, err) {
				return
			}
		}
	}}
}

// BenchmarkSearch searches for five words, two of which are in over a fifth of the records. It also reports how fast records load, and
// the size of the index compared with that of the records.
func BenchmarkSearch(b *testing.B) {
	path := filepath.Join(b.TempDir(), "index.db")
	store, err := store.Open(b.Context(), path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	bytes, count := 0, benchRecords()
	begun := time.Now()
	if err := store.Load(b.Context(), benchCorpus(count, &bytes), "bench", nil); err != nil {
		b.Fatal(err)
	}
	perSecond := float64(count) / time.Since(begun).Seconds()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var pages, size int
	if err := db.QueryRow("SELECT (SELECT page_count - (SELECT freelist_count FROM pragma_freelist_count) FROM pragma_page_count), page_size FROM pragma_page_size").Scan(&pages, &size); err != nil {
		b.Fatal(err)
	}
	grants := authority.DemoGrants(store.Connectors(), testTokens, testNow)
	server := NewServer(store, grants, Options{Now: func() time.Time { return testNow }})
	for _, query := range []string{"often common seldom rarely hardly", "often", "did the hardly rarely often common seldom in"} {
		b.Run(strings.ReplaceAll(query, " ", "_"), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				got := (&rig{t: b, server: server}).get("tok-owner", searchFor(query)+"&streams=messages")
				if got.status != 200 || len(got.list("data")) == 0 {
					b.Fatal(got.text)
				}
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(perSecond, "records/s-load")
			b.ReportMetric(float64(pages*size)/float64(bytes), "index/records")
		})
	}
}
