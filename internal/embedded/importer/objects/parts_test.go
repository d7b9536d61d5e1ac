package objects_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

// read returns the records of a reader and what it reports as skipped.
func read(t *testing.T, r item.Records) (records, skipped []string) {
	t.Helper()
	for one, err := range r {
		var bad item.UnusableError
		switch {
		case errors.As(err, &bad):
			skipped = append(skipped, bad.Reason)
		case err != nil:
			t.Fatal(err)
		default:
			records = append(records, string(one.Data()))
		}
		if len(records)+len(skipped) > 10_000 {
			t.Fatal("it does not end")
		}
	}
	return records, skipped
}

// FuzzParts checks that the readers accept any bytes; that of a file with parts only single items and what follows the JSON value are
// skipped; that every part has a record; and that reading again returns the same.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{
		`[{"a":[{"b":1},{"b":2}]},{"a":null,"c":1},3,{"a":[{"b":1}`, `{"x":1,"l":[{"id":"i","a":[{"b":1},{"b":2},{"b":[]}]},{"a":[7]}]}`,
		`{"a":[{"x":1}],"b":[{"y":2},3,{"y":4}],"c":"d"}`, `{"a":{"b":[{"x":1}],"c":[{"x":2}]},"d":{}}`, `{"messages":[{"x":1}],"a":{"b":[{"c":[{}]}]}}`,
		`{"a":[{"x":1}],"a":[{"y":1}]}`, `{"a":[{"x":1}],"b":[{"y":1}]`, `{"a":[{"x":1}],"b":[{"y":1}],"c":1}]`, `[{"a":1}]`, ``, `[{"a":[{"b":1},{"b":2}]}`, `[{"a":[{"b":1},{"b":2}]}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, part := range objects.Parts(strings.NewReader(text), "messages") {
			records, skipped := read(t, objects.NewPart(strings.NewReader(text), part))
			if len(records)+len(skipped) == 0 {
				t.Errorf("no records in %q of %s", part.Name, text)
			}
			for _, one := range skipped {
				isSaid := func(start string) bool { return strings.HasPrefix(one, start) }
				if !slices.ContainsFunc([]string{"item ", "what is beside", "the array does not end", "what follows"}, isSaid) {
					t.Errorf("%q in %q of %s", one, part.Name, text)
				}
			}
			again, _ := read(t, objects.NewPart(strings.NewReader(text), part))
			if diff := cmp.Diff(records, again); diff != "" {
				t.Errorf("%q of %s (-first +second)\n%s", part.Name, text, diff)
			}
		}
	})
}
