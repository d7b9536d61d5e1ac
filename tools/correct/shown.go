package correct

import (
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// quoted is a text from elsewhere as a quotation within a sentence, bounded.
func quoted(s string) string { return rs.EncodeJSON(clean(s)) }

// clean bounds a text from elsewhere and leaves out what does not belong into a line.
func clean(s string) string {
	if runes := []rune(rs.ErrorText(s)); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return rs.ErrorText(s)
}

// shownNames lists names, those in quotation marks that are not plain words.
func shownNames(names []string, most int) string {
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		if strings.ContainsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) }) || len(name) > 60 {
			name = quoted(name)
		}
		shown = append(shown, name)
	}
	if len(names) > most {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

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
			left = append(left, "all but the first of "+shownNames([]string{m.Name}, 1))
		case !call.Arguments.Has(m.Name):
			left = append(left, shownNames([]string{m.Name}, 1))
		}
	}
	if left == nil {
		return ""
	}
	return "The call below leaves out " + strings.Join(left[:min(len(left), maxShown)], ", ") + "."
}
