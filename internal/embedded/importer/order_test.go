package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Records with the same time keep the order in which they come, so a file that begins with the newest is reversed.
func TestRecordsWithEqualTimesKeepTheirOrder(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"the oldest first", "Date,Item\n2026-01-02,a\n2026-01-02,b\n2026-01-03,c\n2026-01-03,d\n", []string{"a", "b", "c", "d"}},
		{"the newest first", "Date,Item\n2026-01-03,d\n2026-01-03,c\n2026-01-02,b\n2026-01-02,a\n", []string{"c", "d", "a", "b"}},
		{"only one time", "Date,Item\n2026-01-03,a\n2026-01-03,b\n", []string{"a", "b"}},
		{"some without a time", "Date,Item\n2026-01-03,d\n2026-01-03,c\n,x\n2026-01-02,b\n2026-01-02,a\n,y\n", []string{"d", "c", "x", "a", "b", "y"}},
		{"none with a time", "Item\na\nb\n", []string{"a", "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, _ := loaded(t, "a.csv", test.text)
			var got []string
			for _, one := range records["a"] {
				got = append(got, one["Item"].(string))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
