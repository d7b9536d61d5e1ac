package semantic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/search"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/vectors"
)

func TestARecordThatBothModesFoundComesFirst(t *testing.T) {
	words := []search.Hit{{Version: 1}, {Version: 2}, {Version: 3}}
	near := []vectors.Near{{Part: vectors.Part{Version: 9}}, {Part: vectors.Part{Version: 3}}}
	var got []int64
	for _, one := range Fuse(words, near) {
		got = append(got, one.Version)
	}
	if diff := cmp.Diff([]int64{3, 1, 9, 2}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

// FuzzParts checks that the parts of a text joined are the text, and that none is longer than the limit.
func FuzzParts(f *testing.F) {
	f.Add(strings.Repeat("some words ", 400))
	f.Add(strings.Repeat("漢", 2500) + "\n" + strings.Repeat("é", 1001))
	f.Fuzz(func(t *testing.T, text string) {
		var joined strings.Builder
		for rest := text; rest != ""; {
			size := partEnd(rest)
			if size <= 0 || len([]rune(rest[:size])) > partSize {
				t.Fatalf("a part of %d bytes", size)
			}
			joined.WriteString(rest[:size])
			rest = rest[size:]
		}
		if joined.String() != text {
			t.Error("the parts are not the text")
		}
	})
}
