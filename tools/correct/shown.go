package correct

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// LeftOut names the arguments of which nothing is in a call that is proposed for them. What says nothing about a read is none of them.
func LeftOut(args rs.Object, call Call) string {
	var left []string
	proposed := call.Arguments.JSON()
	for _, m := range args {
		value := strings.Trim(m.Value, `"{}[]`)
		several, _ := rs.AsArray(m.Value)
		switch {
		case m.Name == "filter" && (call.Tool == "search" || call.Arguments.Has("group_by")): // what no filter says is in the words or groups
		case aggregations[written.Snake(m.Name)] && call.Arguments.Text("metric") != "count": // it is in the metric
		case value == "" || m.Value == "null" || silent[written.Snake(m.Name)] || strings.Contains(proposed, value):
		case len(several) > 1 && strings.Contains(proposed, several[0]) && !strings.Contains(proposed, several[1]):
			left = append(left, "all but the first of "+quote.Names([]string{m.Name}, 1))
		case !call.Arguments.Has(m.Name):
			left = append(left, quote.Names([]string{m.Name}, 1))
		}
	}
	if left == nil {
		return ""
	}
	return "The call below leaves out " + strings.Join(left[:min(len(left), maxShown)], ", ") + "."
}
