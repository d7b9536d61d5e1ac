package foreign

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// TestSort covers sorts as other APIs write them (S0-7): each is read completely or not at all.
func TestSort(t *testing.T) {
	for raw, want := range map[string][2]string{
		`"total"`:                          {"total", ""},
		`"-total"`:                         {"-total", ""},
		`"+total"`:                         {"total", ""},
		`"total desc"`:                     {"total", "desc"},
		`"total : Ascending"`:              {"total", "asc"},
		`"total:-1"`:                       {"total", "desc"},
		`"DESC(total)"`:                    {"total", "desc"},
		`"order by total asc nulls first"`: {"total", "asc"},
		`"{\"total\":-1}"`:                 {"total", "desc"},
		`["total","desc"]`:                 {"total", "desc"},
		`[["total",-1]]`:                   {"total", "desc"},
		`["total","ordered_at"]`:           {"", ""},
		`{"total":"newest"}`:               {"total", "desc"},
		`{"total":{"order":"desc","missing":"_last"}}`:  {"total", "desc"},
		`{"total":{"order":"sideways"}}`:                {"", ""},
		`{"total":{}}`:                                  {"", ""},
		`{"total":true}`:                                {"", ""},
		`{"total":"desc","ordered_at":"asc"}`:           {"", ""},
		`{"field":"total"}`:                             {"total", ""},
		`{"by":"total","desc":true,"nulls":"last"}`:     {"total", "desc"},
		`{"by":"total","ascending":false}`:              {"total", "desc"},
		`{"by":"total","ascending":"True"}`:             {"total", "asc"},
		`{"by":"total","ascending":false,"desc":false}`: {"", ""},
		`{"by":"total","ascending":"no"}`:               {"", ""},
		`{"by":"total","x":1}`:                          {"", ""},
		`"total.desc"`:                                  {"total", "desc"},
		`7`:                                             {"", ""},
	} {
		if field, direction := Sort(raw); [2]string{field, direction} != want {
			t.Errorf("%s is read as %q %q, want %q", raw, field, direction, want)
		}
	}
}

func TestDirected(t *testing.T) {
	for name, want := range map[string][2]string{
		"total_desc": {"total", "desc"}, "receivedAtAsc": {"received_at", "asc"}, "highest total": {"total", "desc"},
		"descending by total": {"total", "desc"}, "total (desc)": {"total", "desc"}, "order.total.desc": {"order_total", "desc"},
		"total": {"total", ""}, "newest": {"", "desc"}, "most recent": {"", "desc"}, "highest": {"highest", ""}, "high to low": {"high to low", ""}, "oldest first": {"", "asc"}, "by desc": {"", "desc"}, "by": {"by", ""}, "description": {"description", ""}, "": {"", ""},
	} {
		if field, direction := Directed(name); [2]string{field, direction} != want {
			t.Errorf("%q is directed as %q %q, want %q", name, field, direction, want)
		}
	}
}

// A direction by time in sort is that in order; one that needs a field is left for the tool to refuse.
func TestASortWithoutAField(t *testing.T) {
	for sent, want := range map[string]string{
		`{"sort":"newest_first"}`: `{"order":"desc"}`, `{"sort":"newest first"}`: `{"order":"desc"}`, `{"sort":"Newest"}`: `{"order":"desc"}`,
		`{"sort":"latest"}`: `{"order":"desc"}`, `{"sort":"most recent"}`: `{"order":"desc"}`, `{"sort":"oldest-first"}`: `{"order":"asc"}`,
		`{"sort":"earliest_first"}`: `{"order":"asc"}`, `{"sort":"descending"}`: `{"order":"desc"}`, `{"sort":["asc"]}`: `{"order":"asc"}`,
		`{"sort":"newest","order":"desc"}`: `{"order":"desc"}`, `{"sort":"newest","order":"asc"}`: `{"sort":"newest","order":"asc"}`,
		`{"sort":"highest_first"}`: `{"sort":"highest_first"}`, `{"sort":"-newest"}`: `{"sort":"-newest"}`, `{"sort":"first"}`: `{"sort":"first"}`,
		`{"sort":"latest_reading"}`: `{"sort":"latest_reading"}`,
	} {
		if got := Sorted(rs.AsObject(sent)).JSON(); got != want {
			t.Errorf("%s becomes %s, want %s", sent, got, want)
		}
	}
}
