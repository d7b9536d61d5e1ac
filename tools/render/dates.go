package render

import "github.com/pdp-connect/pdpp-mcp/rs"

// datesReadAs says what the dates of a filter were read as: a line for each field, where the core says so in the answer.
func datesReadAs(answer object) []string {
	var lines []string
	for _, raw := range answer.Array("read_as") {
		text, _ := rs.AsText(raw)
		lines = append(lines, "dates read as: "+preview(text, 300))
	}
	return lines
}
