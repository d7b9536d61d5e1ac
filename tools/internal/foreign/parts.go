package foreign

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The parts of a condition in the JSON of single APIs: values with their types, and a field beside its condition.

var valueTypes = written.Set("$date $oid $numberInt $numberLong $numberDouble $numberDecimal")

// plainValue returns the value of an object that names its type, such as {"$date":"2026-03-01"} of MongoDB, or the parts of a date; any
// other value unchanged.
func plainValue(raw string) string {
	o := rs.AsObject(raw)
	year, _ := o.Number("year")
	month, _ := o.Number("month")
	day, _ := o.Number("day")
	switch {
	case len(o) == 1 && valueTypes[o[0].Name]:
		return o[0].Value
	case len(o) == 2 && year > 0 && month > 0:
		return rs.EncodeJSON(fmt.Sprintf("%d-%02d", year, month))
	case len(o) == 3 && year > 0 && month > 0 && day > 0:
		return rs.EncodeJSON(fmt.Sprintf("%d-%02d-%02d", year, month, day))
	}
	return raw
}

var spanWords = written.Set("last past previous next this within in_last in_the_last relative relative_date during")

// spanOf returns the period, as JSON, that an operator of times means with its value, as {"within":"30d"} and {"this":"month"} do; "" for
// any other operator.
func spanOf(field, word, raw string) string {
	text, _ := rs.AsText(raw)
	word = plainWord(word)
	if text == "" || !spanWords[word] || !written.IsTimeName(field) {
		return ""
	}
	for _, said := range []string{word + " " + text, "last " + text, text} {
		if written.NamesDays(said) {
			return rs.EncodeJSON(said)
		} else if word == "next" {
			break
		}
	}
	return ""
}

// ofProperty reads a condition in the notation of Notion, with its type as kind: {"property":"total","number":{"greater_than":5}}.
func ofProperty(o rs.Object) (field, kind, condition string) {
	field = cmp.Or(o.Text("property"), o.Text("timestamp"))
	is := o.Without("property", "timestamp")
	if len(o) != 2 || len(is) != 1 || !propertyTypes[is[0].Name] {
		return "", "", ""
	}
	return field, is[0].Name, is[0].Value
}

// ofOperands reads the operands of an operator that stands before them: a field, as $expr of MongoDB and JsonLogic write it, and a value.
func ofOperands(raw string) (field, value string) {
	list, _ := rs.AsArray(raw)
	if len(list) != 2 {
		return "", ""
	}
	text, _ := written.Text(list[0])
	if other, _ := written.Text(list[1]); strings.HasPrefix(other, "$") || rs.AsObject(list[1]) != nil { // no filter compares two fields
		return "", ""
	}
	if _, named := strings.CutPrefix(text, "$"); named {
		return text[1:], list[1]
	}
	return rs.AsObject(list[0]).Text("var"), list[1]
}
