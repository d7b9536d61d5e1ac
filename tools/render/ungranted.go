package render

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// Ungranted is what an answer leaves out because it is not granted, and the command lines by which the owner grants it. It comes from
// what this program knows of the grant, never from an answer of the resource server.
type Ungranted struct {
	Streams []string       `json:"streams,omitempty"`
	Times   []rs.TimeLimit `json:"times,omitempty"`
	Connect []string       `json:"connect,omitempty"`
}

// toConnect begins the line of a command.
const toConnect = "to have it granted, the owner runs in a terminal: "

// With returns the result with what is not granted: last in its text, as what follows from it is, and first in structured output.
func (r Result) With(u *Ungranted) Result {
	if u == nil {
		return r
	}
	r.Text = strings.Join(append([]string{r.Text}, u.lines()...), "\n")
	r.Structured = append(object{pair("not_granted", encode(u))}, rs.AsObject(string(r.Structured))...).AppendJSON(nil)
	return r
}

func (u *Ungranted) lines() []string {
	var lines []string
	if len(u.Streams) > 0 {
		lines = append(lines, clean.Clip("not granted here, and left out: "+strings.Join(shownNames(u.Streams), ", "), lineChars))
	}
	for _, limit := range u.Times {
		lines = append(lines, timeLimit("the grant of "+shownName(limit.Stream), limit)+"; other records are left out")
	}
	return append(lines, connectLines(u.Connect)...)
}

// connectLines are the commands by which the owner grants what is missing, as lines of text.
func connectLines(commands []string) []string {
	var lines []string
	for _, command := range commands {
		if line := fmt.Sprint(toConnect, clean.Line(command)); !clean.LongerThan(line, lineChars) {
			lines = append(lines, line)
		}
	}
	return lines
}

// timeLimit is the start of a sentence that says to which times a grant is limited.
func timeLimit(grant string, limit rs.TimeLimit) string {
	line := grant + " is limited to " + shownName(cmp.Or(limit.Field, "times"))
	if limit.Since != "" {
		line += " from " + shownText(minute(limit.Since))
	}
	if limit.Until != "" {
		line += " to before " + shownText(minute(limit.Until))
	}
	return clean.Clip(line, lineChars-100)
}
