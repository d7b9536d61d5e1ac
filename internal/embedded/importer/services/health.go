package services

import (
	"cmp"
	"encoding/xml"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// Health reads what Apple's Health exports: measurements, workouts and what a day came to, elements whose attributes say most of it.
func Health(file io.ReadSeeker) item.Records {
	measured := newElements(file)
	return item.Each(measured.measurement)
}

func (r *elements) measurement() (item.Item, error) {
	for {
		start, line, err := r.next("")
		if err != nil {
			return item.Item{}, err
		}
		switch kind := healthKinds[start.Name.Local]; {
		case start.Name.Local == "HealthData" || start.Name.Local == "ExportDate":
		case kind == "":
			_ = r.Skip() // an error shows on the next read
			return item.Item{}, item.UnusableError{Line: line, Reason: "an element " + utf8text.OneLine(start.Name.Local) + ", which is not read"}
		default:
			return r.addInner(healthItem(start, kind, line))
		}
	}
}

// healthKinds are the elements that are read, by what their records are called.
var healthKinds = map[string]string{"Record": "record", "Workout": "workout", "Correlation": "correlation",
	"ActivitySummary": "activity_summary", "ClinicalRecord": "clinical_record"}

// addInner adds to a record what the elements in its own say: more about it, and the sums of a workout, such as its distance. The
// measurements in a correlation are passed over, since each of them is in the file by itself as well.
func (r *elements) addInner(one item.Item) (item.Item, error) {
	more := map[string]string{}
	for depth := 1; depth > 0; {
		r.Left.N = item.MaxLine
		token, err := r.Token()
		if err != nil {
			return item.Item{}, item.Unusable(one.Line, "it does not end") // the next read meets the error again
		}
		switch token := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			depth++
			said := map[string]string{}
			for _, attribute := range token.Attr {
				said[attribute.Name.Local] = attribute.Value
			}
			switch {
			case depth != 2:
			case token.Name.Local == "MetadataEntry":
				more[said["key"]] = said["value"]
			case token.Name.Local == "WorkoutStatistics":
				for _, name := range []string{"sum", "average", "minimum", "maximum", "unit"} {
					if field := healthType.Replace(said["type"]) + "." + name; !putNumber(&one, field, said[name]) {
						one.Put(field, said[name])
					}
				}
			}
		}
	}
	if len(more) > 0 {
		one.Put("metadata", more)
	}
	return one, nil
}

// healthType takes from a type what only programs need.
var healthType = strings.NewReplacer("HKQuantityTypeIdentifier", "", "HKCategoryTypeIdentifier", "", "HKCorrelationTypeIdentifier", "",
	"HKWorkoutActivityType", "")

func healthItem(start xml.StartElement, kind string, line int) item.Item {
	one := item.Item{Line: line}
	one.Put("kind", kind)
	for _, attribute := range start.Attr {
		name, value := attribute.Name.Local, attribute.Value
		name = cmp.Or(map[string]string{"workoutActivityType": "type", "duration": "value", "durationUnit": "unit", "dateComponents": "startDate",
			"receivedDate": "startDate"}[name], name)
		isMeasure := name == "value" || strings.HasPrefix(name, "total") || kind == "activity_summary"
		switch {
		case name == "device": // an address in memory
		case name == "type":
			one.Put("type", healthType.Replace(value))
		case isMeasure && putNumber(&one, name, value):
		case name == "value":
			one.Put("category", strings.TrimPrefix(value, "HKCategoryValue"))
		case strings.HasSuffix(name, "Date"):
			one.Put(name, table.Moment(value))
		default:
			one.Put(name, value)
		}
	}
	return one
}
