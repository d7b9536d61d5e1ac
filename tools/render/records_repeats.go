package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const manyRecords = 8 // from which on a page says once what each would repeat

// withoutRepeats returns a list without what each of its records says in the same words, and that once; and without what a record says twice:
// its id, unless that was asked for, and the time of its own that emitted_at has, too.
func withoutRepeats(l listing, items []item.Item, fields []string) (_ listing, each object) {
	for _, name := range []string{"object", "display_name"} {
		value := l.Items[0].Members.Get(name)
		differs := func(record rs.Item) bool { return record.Members.Get(name) != value }
		if value != "" && !slices.ContainsFunc(l.Items, differs) {
			each = append(each, write.Pair(name, value))
		}
	}
	lean, ends := make([]byte, 0, len(l.Raw)), make([]int, len(l.Items))
	var own, data object
	for i, record := range l.Items {
		own = own[:0]
		for _, m := range record.Members {
			switch id := record.Members.Get("id"); {
			case each.Includes(m.Name), m.Name == "emitted_at" && items[i].RepeatsEmitted() && !item.Wanted(m.Name, fields):
				continue
			case m.Name == "data" && len(items[i].Data) > 1 && id != "" && items[i].Data.Get("id") == id && !item.Wanted("id", fields):
				data = data[:0]
				for _, field := range items[i].Data {
					if field.Name != "id" {
						data = append(data, field)
					}
				}
				m.Value = data.JSON()
			}
			own = append(own, m)
		}
		lean = own.AppendJSON(lean)
		ends[i] = len(lean)
	}
	all, start := string(lean), 0
	kept := make([]rs.Item, len(l.Items))
	for i, record := range l.Items {
		kept[i], start = rs.Item{Raw: all[start:ends[i]], Members: record.Members}, ends[i]
	}
	return l.keep(kept), each
}

// tied says that a page of sorted records ends among equal ones; "" where that is not known.
func (q RecordsQuery) tied() string {
	have := "have"
	if q.Tied == 1 {
		have = "has"
	}
	if q.Tied == 0 {
		return ""
	}
	return fmt.Sprintf("%s after these %s the same %s as the last.", write.Plural(q.Tied, "record"), have,
		write.ShownName(strings.TrimPrefix(q.Rest.Text("sort"), "-")))
}
