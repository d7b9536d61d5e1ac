package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const readAsBytes = 300 // of what dates were read as

// DatesReadAs lists what the dates of a filter were read as, one line for each field, and what lasts into the time that they bound.
func DatesReadAs(answer object) []string {
	lines := write.Each(answer.Array("read_as"), func(raw string) string {
		text, _ := rs.AsText(raw)
		if len(text) > readAsBytes { // structured output has all of it
			text = strings.Join(write.Within(strings.Split(text, ", "), readAsBytes), ", ")
		}
		return "dates read as: " + clean.Preview(text, readAsBytes+20)
	})
	return write.NotEmpty(append(lines, Noted(answer.Object("lasting")))...)
}

// Noted is what a member of an answer says of it, with the call that answers instead; "" for none.
func Noted(said object) string {
	call := said.Object("instead")
	return write.Offer("", write.When(call != nil, said.Text("note")+": "+call.Text("tool")+" "+call.Get("arguments")), write.LineChars)
}

// MissingFields names the connections that lack fields of the call, those that lack the same on one line, and the call that reads the same
// there.
func MissingFields(answer object) []string {
	var lines, lacking []string
	same := map[string][]string{} // connections by the fields that they lack, where no call reads the same there
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

// ReasonChars bounds why a connection could not be read, with the command that mends it.
const ReasonChars = 500

// UnavailableLine says of a connection that it is no choice, and why (S3-3a, D14).
func UnavailableLine(c rs.UnavailableConnection) string {
	return "unavailable: connection_id=" + write.Labelled(clean.Name(c.ID), c.DisplayName) + " (" +
		clean.Name(write.Label(string(c.Code))) + ": " + clean.Quote(clean.Preview(c.Message, ReasonChars)) + ")"
}

// UnavailableBytes bounds what an answer says of unavailable connections.
const UnavailableBytes = 3 << 10

// WithUnavailable adds to a text what a document of a package could not include. Nothing is left out silently.
func WithUnavailable(text string, document object) string {
	var list []rs.UnavailableConnection
	if raw := document.Get("unavailable_connections"); raw == "" || json.Unmarshal([]byte(raw), &list) != nil {
		return text
	}
	left := UnavailableBytes
	for i, c := range list {
		line := "\n" + clean.Clip(UnavailableLine(c), write.LineChars)
		if left -= len(line); left < 0 || i == rs.MaxConnectionOptions {
			return text + fmt.Sprintf("\n%d more connections could not be read; see structured output.", len(list)-i)
		}
		text += line
	}
	return text
}

// NoneGranted is the message that there is no stream: why, and what to do.
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

// ConnectLines are the command lines by which the owner grants what is missing, and what is said of KEY in one, those that fit into a line.
func ConnectLines(commands []string) []string {
	lines := write.Each(commands, func(command string) string {
		if strings.HasPrefix(command, "KEY ") {
			return clean.Line(command)
		}
		return "to have it granted, the owner runs in a terminal: " + clean.Line(command)
	})
	return slices.DeleteFunc(lines, func(line string) bool { return clean.LongerThan(line, write.LineChars) })
}
