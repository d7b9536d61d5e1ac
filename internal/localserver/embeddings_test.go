package localserver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
)

// TestTheDemoSearchesByMeaning serves a folder with an embedding endpoint whose vectors distinguish two subjects.
func TestTheDemoSearchesByMeaning(t *testing.T) {
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		var vectors []string
		for i, text := range asked.Input {
			vector := "[1,0.1]"
			if strings.Contains(text, "car") || strings.Contains(text, "vehicle") {
				vector = "[0.1,1]"
			}
			vectors = append(vectors, fmt.Sprintf(`{"index":%d,"embedding":%s}`, i, vector))
		}
		_, _ = io.WriteString(w, `{"data":[`+strings.Join(vectors, ",")+`]}`)
	}))
	defer endpoint.Close()
	folder := t.TempDir()
	notes := `{"id":"a","text":"the boat is blue"}` + "\n" + `{"id":"b","text":"the car needs new tyres"}` + "\n"
	if err := os.WriteFile(filepath.Join(folder, "notes.jsonl"), []byte(notes), 0o600); err != nil {
		t.Fatal(err)
	}
	client, err := embedding.New(embedding.Options{URL: endpoint.URL, Model: "two-subjects"})
	if err != nil {
		t.Fatal(err)
	}
	lines, progress := io.Pipe()
	printed := make(chan string, 1)
	go func() {
		for scanner := bufio.NewScanner(lines); scanner.Scan(); {
			if line := scanner.Text(); strings.Contains(line, "vectors") {
				printed <- line
			}
		}
	}()
	e, err := Start(
		t.Context(),
		Config{Data: folder, Embed: client, Progress: progress, Now: func() time.Time { return time.Time{} }, Log: zerolog.Nop()},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got, want := <-printed, "pdpp-mcp: all 2 records have vectors of two-subjects, after 0s"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, e.URL+"/v1/search/semantic?q=vehicle&limit=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+e.Tokens.Client)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Data []struct {
			RecordKey string `json:"record_key"`
		} `json:"data"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || len(answer.Data) != 1 || answer.Data[0].RecordKey != "b" {
		t.Errorf("answer %+v, %v", answer, err)
	}
}

func TestEmbedReport(t *testing.T) {
	var out strings.Builder
	now := time.Time{}
	r := embedReport{report: Config{Progress: &out, Now: func() time.Time { return now }}.newReport(), model: "m"}
	refused := errors.New("it is off")
	for done := range 8 {
		p := semantic.Progress{Done: done, Records: 7, Complete: done == 7}
		if done == 3 || done == 4 {
			p.Err = refused
		}
		r.progress(p)
		now = now.Add(4 * time.Second)
	}
	want := `pdpp-mcp: 3 of 7 records have vectors, and it goes on when this passes: it is off
pdpp-mcp: 5 of 7 records have vectors so far
pdpp-mcp: all 7 records have vectors of m, after 28s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}
