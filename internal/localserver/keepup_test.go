package localserver

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// A file that changes while it is served is read again by the next who asks, five seconds after the last look; until then answers say that.
func TestFilesThatChangeWhileTheyAreServed(t *testing.T) {
	for name, db := range map[string]string{"in memory": "", "with an index": filepath.Join(t.TempDir(), "index.db")} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			write := func(name, text string) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("a.csv", "title\nfog\n")
			var seconds atomic.Int64
			now := func() time.Time { return time.Unix(1_800_000_000+seconds.Load(), 0) }
			e, err := Start(t.Context(), Config{Data: folder, DB: db, Progress: io.Discard, Now: now, Log: zerolog.Nop()})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			ask := func(stream string) string {
				r := httptest.NewRequest(http.MethodGet, "/v1/streams/"+stream+"/records", nil)
				r.Header.Set("Authorization", "Bearer "+e.Tokens.Client)
				answer := httptest.NewRecorder()
				e.ServeHTTP(answer, r)
				return answer.Body.String()
			}
			// until says what answers must say as long as they do not have a text.
			until := func(stream, want, before string) {
				t.Helper()
				for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
					text := ask(stream)
					if strings.Contains(text, want) {
						return
					}
					if !strings.Contains(text, before) {
						t.Fatalf("before %s: %s", want, text)
					}
					seconds.Add(int64(lookEvery.Seconds()))
				}
				t.Errorf("%s is never there: %s", want, ask(stream))
			}
			until("a", "fog", "")
			write("a.csv", "title\nrain\nhail\n")
			if text := ask("a"); !strings.Contains(text, "fog") {
				t.Errorf("it looks at once: %s", text)
			}
			seconds.Add(int64(lookEvery.Seconds()))
			until("a", "hail", `"still_reading"`)
			write("b.csv", "title\nsnow\n")
			until("b", "snow", "")
			if err := os.Remove(filepath.Join(folder, "a.csv")); err != nil {
				t.Fatal(err)
			}
			until("a", "context.stream_not_allowed", "rain")
			write("manifest.json", `{"streams":{"b":{"id_field":"none"}}}`)
			until("b", notReadAgain, "snow")
			write("manifest.json", `{}`)
			until("b", `"warnings":[]`, "snow")
		})
	}
}
