package answer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const readAsBytes = 300 // of a line of DatesReadAs

// DatesReadAs lists how the dates of a filter were interpreted, one line per field, and the note on records that last into that time. If
// nothing is in a day of UTC, it says how to send that of another time zone.
func DatesReadAs(answer object, isEmpty bool) []string {
	var lines []string
	for _, raw := range answer.Array("read_as") {
		text, _ := rs.AsText(raw)
		if len(text) > readAsBytes { // structured output has all of it
			text = strings.Join(write.Within(strings.Split(text, ", "), readAsBytes), ", ")
		}
		other := ""
		if days := dayInUTC.FindStringSubmatch(text); days != nil && isEmpty {
			if from, err := time.Parse(time.DateOnly, days[1]); err == nil && from.AddDate(0, 0, 1).Format(time.DateOnly) == days[2] {
				other = ", a day of UTC; for that of another time zone send time_zone"
			}
		}
		lines = append(lines, "dates read as: "+clean.Preview(text, readAsBytes+20)+other)
	}
	return write.NotEmpty(append(lines, Noted(answer.Object("lasting")))...)
}

var dayInUTC = regexp.MustCompile(`from (\d{4}-\d\d-\d\d)T00:00Z until (\d{4}-\d\d-\d\d)T00:00Z`)

// Noted returns the note in a member of an answer, with the call to send instead if there is one; "" for none.
func Noted(member object) string {
	note := member.Text("note")
	if call := member.Object("instead"); call != nil {
		note += ": " + call.Text("tool") + " " + call.Get("arguments")
	}
	return write.Offer("", note, write.LineChars)
}

// MissingFields lists the connections that lack fields of the call, each with the call that reads the same there. Connections without such
// a call that lack the same fields share a line.
func MissingFields(answer object) []string {
	var lines, lacking []string
	same := map[string][]string{} // connections without such a call, by the fields that they lack
	for _, raw := range answer.Array("missing_fields") {
		o := rs.AsObject(raw)
		connection := write.ShownValue(write.JSON(o.Text("display_name", "connection_id")))
		fields := strings.Join(write.Each(write.Words(o, "fields"), clean.Bare), ", ")
		there := o.Object("instead")
		call := write.Offer("", connection+" has no "+fields+". The same there: "+there.Text("tool")+" "+there.Get("arguments"), write.LineChars)
		if there != nil && call != "" {
			lines = append(lines, call)
			continue
		}
		if same[fields] == nil {
			lacking = append(lacking, fields)
		}
		same[fields] = append(same[fields], connection)
	}
	for _, fields := range lacking {
		lines = append(lines, strings.Join(same[fields], ", ")+" "+write.Have(len(same[fields]))+" no "+fields)
	}
	return lines
}

// ReasonChars bounds the reason why a connection could not be read, including the command that repairs it.
const ReasonChars = 500

// UnavailableLine says that a connection cannot be chosen, and why (S3-3a, D14).
func UnavailableLine(c rs.UnavailableConnection) string {
	return "unavailable: connection_id=" + write.Labelled(clean.Name(c.ID), c.DisplayName) + " (" +
		clean.Name(write.Label(string(c.Code))) + ": " + clean.Quote(clean.Preview(c.Message, ReasonChars)) + ")"
}

// UnavailableBytes bounds what an answer says about unavailable connections.
const UnavailableBytes = 3 << 10

// WithUnavailable adds to a text the connections of a package that could not be read. Connections that do not fit are counted.
func WithUnavailable(text string, document object) string {
	var list []rs.UnavailableConnection
	if raw := document.Get("unavailable_connections"); raw == "" || json.Unmarshal([]byte(raw), &list) != nil {
		return text
	}
	lines := write.Clipped(write.Each(list, UnavailableLine))
	shown := write.Fitting(lines, UnavailableBytes, rs.MaxConnectionOptions)
	if more := len(list) - shown; more > 0 {
		lines = append(lines[:shown], write.Plural(more, "more connection")+" could not be read; see structured output.")
	}
	return strings.Join(append([]string{text}, lines...), "\n")
}

// NoneGranted returns the message that no stream is granted: why, and what to do.
func NoneGranted(stream, connection string) string {
	const call = " Call schema without arguments for the "
	switch named := "No granted stream is named " + clean.Name(stream); {
	case stream != "":
		return named + write.When(connection != "", " in connection "+clean.Name(connection)) + "." + call + "streams and connections of this grant."
	case connection != "":
		return "Connection " + clean.Name(connection) + " has no granted stream." + call + "connections that have."
	}
	return "This grant covers no stream. The user has to approve access to a source first."
}

// ConnectLines returns the commands by which the owner grants what is missing, with the explanation of a KEY in them. It leaves out what
// does not fit into a line.
func ConnectLines(commands []string) []string {
	lines := write.Each(commands, func(command string) string {
		if strings.HasPrefix(command, "KEY ") {
			return clean.Line(command)
		}
		return "to have it granted, the owner runs in a terminal: " + clean.Line(command)
	})
	return slices.DeleteFunc(lines, func(line string) bool { return clean.LongerThan(line, write.LineChars) })
}

// An EmptyField is a field of a filter that matches no record, and what is known about its condition and its values.
type EmptyField struct {
	Field  string
	Alone  int // how many records its condition alone matches; -1 if unknown
	Values []KnownValue
	Beyond bool      // the field has other values than these
	Least  string    // its smallest value, as JSON, if none is in the requested range; "" if unknown
	Most   string    // the same for the largest
	IDsOf  string    // the stream whose ids its values are; "" if unknown
	Record string    // the handle of the record whose own id was requested, while the field has another; "" for none
	Whole  bool      // search reads single words of the field, but the condition compares its whole text
	Signs  bool      // the requested value has characters that are wildcards elsewhere
	Meant  rs.Object // the arguments with a similar value that exists; nil for none
	Calls  int       // how many values were requested as one, of which Meant has the first; 0 for one
	Search rs.Object // arguments of a search for the value in the field or in stream IDsOf; nil for none
}

const (
	shownValues   = 12  // values of a field that are listed
	identityBytes = 600 // of a value in structured output
)

// A KnownValue is a value of a field, as JSON, and how many records have it.
type KnownValue struct {
	Key   string
	Count int
}

// Conditions lists, for each field of a filter, how many records its condition alone matches and what is known about its values: as lines
// of text, none if all these numbers are unknown, and as JSON.
func Conditions(tool string, fields []EmptyField) (lines []string, structured string) {
	var alone, known, list []string
	for _, e := range fields {
		if e.Alone >= 0 {
			alone = append(alone, fmt.Sprintf("on %s matches %s", write.ShownName(e.Field), write.Plural(e.Alone, "record")))
		}
		says, field := e.known(tool)
		known, list = append(known, says...), append(list, field)
	}
	if len(alone) > 0 {
		lines = write.Clipped(append([]string{"Alone, the condition " + strings.Join(alone, ", ") + "."}, known...))
	}
	return lines, write.When(len(fields) > 0, rs.JoinArray(list))
}

// known returns what is known about the values of the field, and which call may be meant.
func (e EmptyField) known(tool string) (lines []string, structured string) {
	name := write.ShownName(e.Field)
	o := new(write.Object).Plain("field", clean.Clip(e.Field, write.LongestName)).Put("alone", write.When(e.Alone >= 0, write.JSON(e.Alone)))
	offer := func(member, lead, tool, arguments string) string {
		o.Put(member, write.ToolCall(tool, arguments))
		return write.Offer(lead, tool+" "+arguments, write.LineChars)
	}
	var values, ranged, holds, meant string
	if len(e.Values) > 0 {
		atLeast := write.When(e.Beyond, "at least ")
		shown := write.First(write.Each(e.Values, KnownValue.text), shownValues, "and "+atLeast+"%d others")
		values = name + " is " + strings.Join(shown, ", ") + "."
		o.Array("values", write.EachOf(e.Values, shownValues, KnownValue.json))
		if left := len(e.Values) - shownValues; left > 0 {
			o.Put("other_values", write.When(!e.Beyond, write.JSON(left))+write.When(e.Beyond, write.JSON(fmt.Sprint(atLeast, left))))
		}
	}
	if e.Least != "" && e.Most != "" {
		ranged = fmt.Sprintf("%s is from %s to %s.", name, write.ShownValue(e.Least), write.ShownValue(e.Most))
		o.Put("least", write.Truncate(e.Least, identityBytes)).Put("most", write.Truncate(e.Most, identityBytes))
	}
	switch {
	case e.Record != "":
		id := rs.Object{rs.NewMember("id", e.Record)}.JSON()
		holds = offer("record", "That is a record's own id, and its field "+name+" another. The record: ", "fetch", id)
	case e.IDsOf != "":
		holds = fmt.Sprintf("%s holds ids of %s.", name, write.ShownName(e.IDsOf))
	case e.Whole:
		holds = fmt.Sprintf("A value must be all of %s, not a word of it.", name)
	}
	o.Optional("ids_of", clean.Clip(e.IDsOf, write.LongestName))
	o.Optional("wildcards", write.When(e.Signs, "none: * and % stand for themselves"))
	o.Optional("compared", write.When(e.Whole, "all of its text, not a word of it"))
	if e.Meant != nil {
		meant = offer("did_you_mean", "Did you mean: ", tool, e.Meant.JSON())
	} else if e.Search != nil {
		meant = offer("search", "To find it by its words: ", "search", e.Search.JSON())
	}
	each := write.When(e.Calls > 1 && meant != "",
		fmt.Sprintf("This needs a call for each of the %d values; the one below is the first.", e.Calls))
	signs := write.When(e.Signs, "A filter has no wildcards: * and % stand for themselves.")
	return write.NotEmpty(values, ranged, signs, holds, each, meant), o.Number("calls", e.Calls).JSON()
}

// text returns "shipped (12)".
func (v KnownValue) text() string {
	cell, _ := clean.Cell(v.Key, write.KeyChars)
	return fmt.Sprintf("%s (%d)", cell, v.Count)
}

func (v KnownValue) json() string {
	return new(write.Object).Put("key", write.Truncate(v.Key, identityBytes)).Put("count", write.JSON(v.Count)).JSON()
}
