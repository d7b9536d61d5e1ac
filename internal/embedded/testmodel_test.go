package embedded

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A testModel is an embedding endpoint whose vectors count words, one dimension for each word and its synonyms.
type testModel struct {
	url string

	mu        sync.Mutex
	dimension int
	texts     int // the number of requested texts
	failFrom  int // fails after this many texts; 0: never
}

var synonyms = map[string]string{"tooth": "dentist", "teeth": "dentist", "car": "automobile", "vehicle": "automobile"}

func newTestModel(t *testing.T) *testModel {
	m := &testModel{dimension: 256}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.url = server.URL
	return m
}

func (m *testModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var asked struct{ Input []string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	if m.failFrom > 0 && m.texts+len(asked.Input) > m.failFrom {
		http.Error(w, "out of memory", http.StatusInternalServerError)
		return
	}
	m.texts += len(asked.Input)
	type one struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	answer := struct {
		Data []one `json:"data"`
	}{}
	for i, text := range asked.Input {
		vector := make([]float32, m.dimension)
		vector[0] = 0.1 // no vector is zero
		for _, term := range search.Terms(text) {
			word := term.Text
			if other, ok := synonyms[word]; ok {
				word = other
			}
			hash := fnv.New32a()
			_, _ = hash.Write([]byte(word))
			vector[1+hash.Sum32()%uint32(m.dimension-1)]++
		}
		answer.Data = append(answer.Data, one{i, vector})
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// asked returns how many texts were requested since the last call.
func (m *testModel) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.texts
	m.texts = 0
	return n
}

func (m *testModel) set(change func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change()
}

func (m *testModel) embeddings(t *testing.T, store *store.Store, name string) *semantic.Index {
	t.Helper()
	client, err := embedding.New(embedding.Options{URL: m.url, Model: name})
	if err != nil {
		t.Fatal(err)
	}
	return semantic.New(store, client)
}
