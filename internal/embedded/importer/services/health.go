package services

import (
	"cmp"
	"encoding/xml"
	"io"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
)

// Health reads the XML export of Apple Health: measurements, workouts and daily summaries. Most of their data is in attributes.
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

// healthKinds maps the elements that are read to the kind of their records.
var healthKinds = map[string]string{"Record": "record", "Workout": "workout", "Correlation": "correlation",
	"ActivitySummary": "activity_summary", "ClinicalRecord": "clinical_record"}

// addInner adds nested elements to a record: its metadata, and the statistics of a workout, such as its distance, and the names of the
// files with its route. It skips the measurements in a correlation, since the file also has each of them as a record.
func (r *elements) addInner(one item.Item) (item.Item, error) {
	more, routes := map[string]string{}, []string{}
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
			attributes := map[string]string{}
			for _, attribute := range token.Attr {
				attributes[attribute.Name.Local] = attribute.Value
			}
			switch {
			case token.Name.Local == "FileReference":
				routes = append(routes, path.Base(attributes["path"]))
			case depth != 2:
			case token.Name.Local == "MetadataEntry":
				more[attributes["key"]] = attributes["value"]
			case token.Name.Local == "WorkoutStatistics":
				for _, name := range []string{"sum", "average", "minimum", "maximum", "unit"} {
					if field := healthType.Replace(attributes["type"]) + "." + name; !putNumber(&one, field, attributes[name]) {
						one.Put(field, attributes[name])
					}
				}
			}
		}
	}
	if len(more) > 0 {
		one.Put("metadata", more)
	}
	one.Put("routes", routes)
	return one, nil
}

// healthType removes Apple's prefixes from the name of a type.
var healthType = strings.NewReplacer("HKQuantityTypeIdentifier", "", "HKCategoryTypeIdentifier", "", "HKCorrelationTypeIdentifier", "",
	"HKWorkoutActivityType", "")

// healthNames maps attributes to those of other elements that mean the same.
var healthNames = map[string]string{"workoutActivityType": "type", "duration": "value", "durationUnit": "unit",
	"dateComponents": "startDate", "receivedDate": "startDate"}

func healthItem(start xml.StartElement, kind string, line int) item.Item {
	one := item.Item{Line: line}
	one.Put("kind", kind)
	for _, attribute := range start.Attr {
		name, value := cmp.Or(healthNames[attribute.Name.Local], attribute.Name.Local), attribute.Value
		isMeasure := name == "value" || strings.HasPrefix(name, "total") || kind == "activity_summary"
		switch {
		case name == "device": // skipped: it contains a memory address
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
