package foreign

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// The parts of a condition in the JSON of single APIs: values with their types, and a field beside its condition.

var (
	valueTypes = written.Set("$date $oid $numberInt $numberLong $numberDouble $numberDecimal")
	monthParts = written.Expression(`^\{"year":([0-9]{4}),"month":([0-9]{1,2})\}$`)
)

// plainValue returns the value of an object that names its type, such as {"$date":"2026-03-01"} of MongoDB, or a month and its year; any
// other value unchanged.
func plainValue(raw string) string {
	if o := rs.AsObject(raw); len(o) == 1 && valueTypes[o[0].Name] {
		return o[0].Value
	} else if found := monthParts().FindStringSubmatch(raw); found != nil {
		return fmt.Sprintf(`"%s-%02s"`, found[1], found[2])
	}
	return raw
}

var spanWords = written.Set("last past previous next this within in_last in_the_last relative relative_date during")

// spanOf returns the period, as JSON, that an operator of times means with its value, as {"within":"30d"} and {"this":"month"} do; "" for
// any other operator.
func spanOf(field, word, raw string) string {
	text, isText := written.Text(raw)
	if word = plainWord(word); !isText || !spanWords[word] || !written.IsTimeName(field) {
		return ""
	}
	said := []string{word + " " + text, "last " + text, text}
	if at := slices.IndexFunc(said, written.NamesDays); at == 0 || at > 0 && word != "next" {
		return rs.EncodeJSON(said[at])
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
