package embedded_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A question is for one folder; gold has the ids of the records that answer it.
type question struct {
	Stream string   `json:"stream"`
	Q      string   `json:"q"`
	Gold   []string `json:"gold"`
	Part   string   `json:"part"`
}

// TestRecall searches for the questions of the folder in RECALL and prints how many find their records.
func TestRecall(t *testing.T) {
	folder := os.Getenv("RECALL")
	if folder == "" {
		t.Skip("RECALL names no folder with questions.jsonl and streams")
	}
	corpus, err := importer.Open(t.Context(), filepath.Join(folder, "streams"), nil, importer.Watch{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	begun := time.Now()
	if err := store.Load(t.Context(), corpus, "recall", nil); err != nil {
		t.Fatal(err)
	}
	t.Logf("loaded in %s", time.Since(begun))
	tokens := authority.DemoTokens{Client: "client", Owner: "owner"}
	server := embedded.NewServer(store, authority.DemoGrants(store.Connectors(), tokens, time.Now()), embedded.Options{})
	file, err := os.Open(filepath.Join(folder, "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var questions []question
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatal(err)
		}
		questions = append(questions, q)
	}
	parts := []string{"dev"}
	if os.Getenv("RECALL_TEST") != "" {
		parts = append(parts, "test")
	}
	for _, part := range parts {
		for _, scoped := range []bool{true, false} {
			var count, zero, anyGold, top3, hits, gold, allGold int
			var spent time.Duration
			for _, q := range questions {
				if q.Part != part {
					continue
				}
				count++
				query := url.Values{"q": {q.Q}, "limit": {"10"}}
				if scoped {
					query.Set("streams", q.Stream)
				}
				request := httptest.NewRequest(http.MethodGet, "http://rs.test/v1/search?"+query.Encode(), nil)
				request.Header.Set("Authorization", "Bearer owner")
				recorder := httptest.NewRecorder()
				begun := time.Now()
				server.ServeHTTP(recorder, request)
				spent += time.Since(begun)
				var body struct {
					Data []struct {
						Stream string `json:"stream"`
						Key    string `json:"record_key"`
					} `json:"data"`
				}
				if err := json.Unmarshal(recorder.Body.Bytes(), &body); err != nil || recorder.Code != http.StatusOK {
					t.Fatalf("%s: %s", q.Q, recorder.Body)
				}
				if len(body.Data) == 0 {
					zero++
				}
				found := 0
				for i, hit := range body.Data {
					if hit.Stream == q.Stream && slices.Contains(q.Gold, hit.Key) {
						found++
						if i < 3 && found == 1 {
							top3++
						}
					}
				}
				hits += 10
				gold += found
				if found > 0 {
					anyGold++
				}
				if found >= min(len(q.Gold), 10) {
					allGold++
				}
			}
			share := func(n, of int) string { return fmt.Sprintf("%.1f", 100*float64(n)/float64(of)) }
			t.Logf(
				"%s scoped=%v n=%d: zero %s any@3 %s any@10 %s all %s p@10 %.3f, %s each",
				part,
				scoped,
				count,
				share(zero, count),
				share(top3, count),
				share(anyGold, count),
				share(allGold, count),
				float64(gold)/float64(hits),
				spent/time.Duration(count),
			)
		}
	}
}
