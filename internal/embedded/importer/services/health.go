package services

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// IsHealth reports that a file begins as what Apple's Health exports.
func IsHealth(start []byte) bool { return bytes.Contains(start, []byte("<!DOCTYPE HealthData")) }

// A healthReader reads measurements and workouts: elements whose attributes say it all.
type healthReader struct {
	file    io.LimitedReader
	decoder *xml.Decoder
}

// Health reads what Apple's Health exports.
func Health(file io.Reader) item.Reader {
	r := &healthReader{file: io.LimitedReader{R: file}}
	r.decoder = xml.NewDecoder(&r.file)
	return r
}

func (r *healthReader) Next() (item.Item, error) {
	for {
		r.file.N = item.MaxLine // for one element
		token, err := r.decoder.Token()
		line, _ := r.decoder.InputPos()
		if errors.Is(err, io.EOF) {
			return item.Item{}, io.EOF
		}
		if err != nil {
			r.decoder = xml.NewDecoder(strings.NewReader(""))
			return item.Item{}, item.UnusableError{Line: line, Reason: "not XML from here on: " + err.Error()}
		}
		if start, ok := token.(xml.StartElement); ok && (start.Name.Local == "Record" || start.Name.Local == "Workout") {
			return healthItem(start, line), nil
		}
	}
}

func healthItem(start xml.StartElement, line int) item.Item {
	one := item.Item{Line: line}
	one.Put("kind", strings.ToLower(start.Name.Local))
	for _, attribute := range start.Attr {
		name, value := attribute.Name.Local, attribute.Value
		name = cmp.Or(map[string]string{"workoutActivityType": "type", "duration": "value", "durationUnit": "unit"}[name], name)
		number := table.IsNumber(value) && (name == "value" || strings.HasPrefix(name, "total"))
		switch {
		case name == "device": // an address in memory
		case name == "type":
			one.Put("type", strings.NewReplacer("HKQuantityTypeIdentifier", "", "HKCategoryTypeIdentifier", "", "HKWorkoutActivityType", "").Replace(value))
		case number:
			one.Fields = append(one.Fields, item.Field{Name: name, Value: []byte(value)})
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
