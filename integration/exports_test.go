package integration

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// An export has the files that a person got from a service, and expected answers about them.
type export struct {
	folder string
	files  map[string]string
	truths []truth
	skips  []string // expected reports of skipped files at the start
}

// A truth is a call and the texts that its answer must contain.
type truth struct {
	tool, arguments string
	says            []string
}

// counts expects a number of records in a stream.
func counts(stream, number string) truth {
	return truth{"aggregate", `{"stream":"` + stream + `","metric":"count"}`, []string{number}}
}

// sums expects the sum of a field.
func sums(stream, field, number string) truth {
	return truth{"aggregate", `{"stream":"` + stream + `","metric":"sum","field":"` + field + `"}`, []string{number}}
}

// lists expects texts in the records of a stream, or in those that match a filter.
func lists(arguments string, says ...string) truth { return truth{"query_records", arguments, says} }

// finds expects a record among the hits of a search.
func finds(words, id string) truth { return truth{"search", `{"q":"` + words + `"}`, []string{id}} }

// writeExports writes all exports into one folder.
func writeExports(t *testing.T, exports []export) string {
	t.Helper()
	dir := t.TempDir()
	for _, one := range exports {
		for name, text := range one.files {
			file := filepath.Join(dir, one.folder, filepath.FromSlash(name))
			check(t, os.MkdirAll(filepath.Dir(file), 0o700))
			write(t, file, text)
		}
	}
	return dir
}

// Everything in a folder of exports is found over /mcp and over stdio, and files that cannot be read are reported.
func TestExportsAreRead(t *testing.T) {
	exports := slices.Concat(servicesExports(t), officeExports(t), hostileExports(t), moneyExports(), wearableExports(), chatExports(t), placeExports(t), mailExports(), oddExports(t), dayExports(), listExports())
	dir := writeExports(t, exports)
	odd := filepath.Join(dir, "odd")
	check(t, errors.Join(os.Truncate(filepath.Join(odd, "long.jsonl"), 4<<30), os.Truncate(filepath.Join(odd, "large.sqlite"), 1<<30))) // sparse files
	check(t, errors.Join(syscall.Mkfifo(filepath.Join(odd, "pipe.csv"), 0o600), os.Symlink("nowhere", filepath.Join(odd, "dangling.csv")), os.Symlink("..", filepath.Join(odd, "up"))))
	index := filepath.Join(t.TempDir(), "index.db")
	d := runDemo(t, "--data", dir, "--db", index)
	if _, err := d.stderr.find(startTime, func(line string) bool { return strings.Contains(line, ", skipped ") }); err != nil {
		t.Fatalf("%v\n%s", err, d.stderr)
	}
	hosted := overHTTP(t, d.MCPURL, d.ClientToken)
	local := overStdio(t, "--data", dir, "--db", index)
	for _, one := range exports {
		t.Run(one.folder, func(t *testing.T) {
			for _, skip := range one.skips {
				if !strings.Contains(d.stderr.String(), "skipped "+one.folder+"/"+skip) {
					t.Errorf("not reported: skipped %s/%s", one.folder, skip)
				}
			}
			for _, truth := range one.truths {
				for _, client := range []session{hosted, local} {
					text := textOf(client.call(truth.tool, args(truth.arguments)))
					for _, want := range truth.says {
						if !strings.Contains(text, want) {
							t.Errorf("%s %s: want %q in\n%s", truth.tool, truth.arguments, want, text)
						}
					}
				}
			}
		})
	}
	if t.Failed() {
		t.Logf("at the start:\n%s", d.stderr)
	}
}

// packed returns a zip archive of files.
func packed(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		entry, err := writer.Create(name)
		check(t, err)
		_, err = io.WriteString(entry, files[name])
		check(t, err)
	}
	check(t, writer.Close())
	return out.String()
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	check(t, err)
	return string(text)
}
