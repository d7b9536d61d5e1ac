package importer

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// The notes of a vault are one stream, in which each link leads to its note.
func TestNotesOfAVaultAreOneStream(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  map[string][]string // notes by stream
		links []string            // the links that lead to a note
	}{
		{"a vault with only folders", map[string]string{"Vault/.obsidian/app.json": "{}", "Vault/Boat/Gull.md": "[[Yard]]", "Vault/People/Yard.md": "x", "Vault/Trips/North/Day.md": "x"},
			map[string][]string{"Vault": {"Boat/Gull", "People/Yard", "Trips/North/Day"}}, []string{"People/Yard"}},
		{"the vault itself", map[string]string{".obsidian/app.json": "{}", "Boat/Gull.md": "x", "Daily/a.md": "[[gull#Sails|her]]"},
			map[string][]string{"notes": {"Boat/Gull", "Daily/a"}}, []string{"Boat/Gull"}},
		{"two vaults", map[string]string{"A/.obsidian/x.json": "{}", "A/p/One.md": "[[Two]]", "B/.obsidian/x.json": "{}", "B/q/Two.md": "x"},
			map[string][]string{"A": {"p/One"}, "B": {"q/Two"}}, nil},
		{"links across folders", map[string]string{"Notes/Boat/Gull.md": "x", "Notes/Daily/a.md": "[[Gull]]", "Notes/Rest/b.md": "[[Gull]]", "Other/c.md": "`[[Gull]]`"},
			map[string][]string{"Notes": {"Boat/Gull", "Daily/a", "Rest/b"}, "Other": {"c"}}, []string{"Boat/Gull", "Boat/Gull"}},
		{"a path across folders", map[string]string{"Notes/Boat/Gull.md": "[day](../Daily/a.md)", "Notes/Daily/a.md": "[her](../Boat/Gull.md)"},
			map[string][]string{"Notes": {"Boat/Gull", "Daily/a"}}, []string{"Daily/a", "Boat/Gull"}},
		{"one accidental link", map[string]string{"A/p/One.md": "[[Ideas]], and [[ideas]] again", "B/q/Ideas.md": "x", "C/z.md": "x"},
			map[string][]string{"A_p": {"One"}, "B_q": {"Ideas"}, "C": {"z"}}, nil},
		{"few among many", map[string]string{"A/One.md": "[[Two]] [[Three]] [[Four]] [[Five]] [[Six]] [[Seven]] [[Eight]] [[Ideas]]", "A/Two.md": "[[Ideas]]", "A/Three.md": "",
			"A/Four.md": "", "A/Five.md": "", "A/Six.md": "", "A/Seven.md": "", "A/Eight.md": "", "B/Ideas.md": "x"},
			map[string][]string{"A": {"Eight", "Five", "Four", "One", "Seven", "Six", "Three", "Two"}, "B": {"Ideas"}}, []string{"Two", "Three", "Four", "Five", "Six", "Seven", "Eight"}},
		{"links to separate notes", map[string]string{"A/p/One.md": "[[Index]]", "A/p/Index.md": "x", "B/q/Index.md": "x"},
			map[string][]string{"A_p": {"Index", "One"}, "B_q": {"Index"}}, []string{"Index"}},
		{"no links", map[string]string{"A/One.md": "[[Nowhere]]", "B/Two.md": "x"}, map[string][]string{"A": {"One"}, "B": {"Two"}}, nil},
		{"a vault in an archive", map[string]string{"v.zip": zipOf(t, "V/.obsidian/app.json", "{}", "V/Boat/Gull.md", "x", "V/Daily/a.md", "[[Gull]]")},
			map[string][]string{"v_V": {"Boat/Gull", "Daily/a"}}, []string{"Boat/Gull"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeTree(t, test.files))
			got, links := map[string][]string{}, []string(nil)
			for _, record := range collectRecords(t, corpus) {
				if to, isLink := valueOf(t, record, "target_id"); isLink {
					links = append(links, to)
				} else if _, isLink := valueOf(t, record, "target"); !isLink {
					got[record.Stream] = append(got[record.Stream], record.ID)
				}
			}
			for _, ids := range got {
				slices.Sort(ids)
			}
			if diff := cmp.Diff(test.want, got) + cmp.Diff(test.links, links); diff != "" || len(skips) > 0 {
				t.Errorf("(-want +got)\n%s\n%v", diff, skips)
			}
		})
	}
}

// valueOf returns the text in a field of a record.
func valueOf(t *testing.T, record model.Record, field string) (text string, ok bool) {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(record.Data, &fields); err != nil {
		t.Fatal(err)
	}
	text, ok = fields[field].(string)
	return text, ok
}
