package integration

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// scaleTime is how long a slow, loaded machine may take for what an idle one reads in two minutes.
const scaleTime = 30 * time.Minute

// TestOwnFilesAtScale measures a million JSON lines and 500 MB of CSV; make own-files runs it.
func TestOwnFilesAtScale(t *testing.T) {
	if os.Getenv("OWN_FILES") == "" {
		t.Skip("set OWN_FILES, as make own-files does")
	}
	words := strings.Fields("harbour quarterly budget lantern meeting invoice garden letter window river train ticket answer question holiday recipe")
	random := rand.New(rand.NewPCG(1, 1)) // #nosec G404 -- a repeatable test
	for _, one := range []struct {
		name, head string
		size       int64 // in bytes; 0: a million lines
		line       func(number int) string
		group      string
	}{
		{"events.jsonl", "", 0, func(n int) string {
			return fmt.Sprintf(`{"id":"e%d","played_at":"20%02d-%02d-%02dT10:%02d:00Z","artist":"artist%d","title":"%s %s %d","ms":%d,"skipped":%v}`+"\n",
				n, 10+n%15, 1+n%12, 1+n%28, n%60, n%100, words[n%16], words[n*7%15], n%5000, n*37%300000, n%9 == 0)
		}, "artist"},
		{"orders.csv", "Order,Date,Item,Note,Amount,Country\n", 500 << 20, func(n int) string {
			var note strings.Builder
			for range 30 {
				note.WriteString(words[random.IntN(len(words))] + " ")
			}
			return fmt.Sprintf("%d,2024-%02d-%02d,%s %d,%s,%d.%02d,country%d\n", n, 1+n%12, 1+n%28, words[n%16], n%500, note.String(), n%900, n%100, n%30)
		}, "Country"},
	} {
		t.Run(one.name, func(t *testing.T) {
			folder, index := t.TempDir(), filepath.Join(t.TempDir(), "index.db")
			file, err := os.Create(filepath.Join(folder, one.name))
			check(t, err)
			writer := bufio.NewWriterSize(file, 1<<20)
			size := int64(len(one.head))
			_, _ = writer.WriteString(one.head) // Flush returns its error
			for number := 0; one.size == 0 && number < 1_000_000 || size < one.size; number++ {
				n, _ := writer.WriteString(one.line(number)) // Flush returns its error
				size += int64(n)
			}
			check(t, writer.Flush())
			check(t, file.Close())
			write(t, filepath.Join(folder, "small.csv"), "title\nfog\n")
			stream := strings.TrimSuffix(one.name, filepath.Ext(one.name))
			look := func(what string) func(*running) {
				return func(d *running) {
					s, begun := overHTTP(t, d.MCPURL, d.ClientToken), time.Now()
					s.text("aggregate", map[string]any{"stream": stream, "metric": "count", "group_by": one.group})
					t.Logf("%s: peak memory %s; group-by in %s", what, peakMemory(d), time.Since(begun).Round(time.Millisecond))
				}
			}
			begun := time.Now()
			p, err := start(t.TempDir(), nil, "demo", "--json", "--listen", "127.0.0.1:0", "--data", folder, "--db", index)
			check(t, err)
			d := &running{process: p}
			line, err := p.stdout.find(scaleTime, func(string) bool { return true })
			check(t, errors.Join(err, json.Unmarshal([]byte(line), &d.addresses)))
			look("first start")(d)
			check(t, d.stop())
			t.Logf("computed for %s", (p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Round(time.Second))
			info, err := os.Stat(index)
			check(t, err)
			t.Logf("%d MB; read and asked in %s; the index has %.2f times their size", size/1e6, time.Since(begun).Round(time.Second), float64(info.Size())/float64(size))
			write(t, filepath.Join(folder, "small.csv"), "title\nrain\n")
			begun = time.Now()
			visit(t, func(d *running) {
				text := overHTTP(t, d.MCPURL, d.ClientToken).text("query_records", map[string]any{"stream": "small"})
				t.Logf("a small file that changed is there after %s: %v", time.Since(begun).Round(10*time.Millisecond), strings.Contains(text, "rain"))
				look("second start")(d)
			}, "--data", folder, "--db", index)
		})
	}
}
