package services

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// phone is what SMS Backup & Restore writes of the messages and the calls of a phone.
var phone = xmlTable{
	header: []string{"date", "kind", "direction", "number", "name", "subject", "text", "files", "seconds"},
	kinds:  map[string]string{"sms": "message", "mms": "message", "call": "call"},
	cells: map[string]string{
		"sms@date": "date", "sms@type": "direction", "sms@address": "number", "sms@contact_name": "name", "sms@subject": "subject",
		"sms@body": "text",
		"mms@date": "date", "mms@msg_box": "direction", "mms@address": "number", "mms@contact_name": "name", "mms@sub": "subject",
		"part@text": "text", "part@cl": "files",
		"call@date": "date", "call@type": "direction", "call@number": "number", "call@contact_name": "name", "call@duration": "seconds",
	},
	finish: func(row map[string]string) {
		names := messageDirections
		if row["kind"] == "call" {
			names = callDirections
		}
		row["direction"] = cmp.Or(names[row["direction"]], row["direction"])
		row["text"] = layout().ReplaceAllString(row["text"], "")
		for column, value := range row {
			// these stand for nothing
			lines := slices.DeleteFunc(strings.Split(value, "\n"), func(line string) bool { return line == "null" || line == "(Unknown)" })
			row[column] = strings.TrimSpace(strings.Join(lines, "\n"))
		}
	},
}

var (
	messageDirections = map[string]string{"1": "received", "2": "sent", "3": "draft", "4": "outgoing", "5": "failed", "6": "queued"}
	callDirections    = map[string]string{"1": "incoming", "2": "outgoing", "3": "missed", "4": "voicemail", "5": "rejected"}

	// layout is how a message with pictures is shown, among its texts.
	layout = item.Expression(`(?s)<smil.*?</smil>`)
	// halves are the two halves of a character of UTF-16, each written as one, which XML does not know.
	halves = item.Expression(`&#5[5-6]\d{3};&#5[6-7]\d{3};`)
)

// isPhone reports that XML begins as the messages or the calls of a phone do.
func isPhone(start []byte) bool {
	return bytes.Contains(start, []byte("<smses")) || bytes.Contains(start, []byte("<calls "))
}

// IsXMLRows reports that XML begins as what a bank sends of an account (camt.052 to .054 of ISO 20022) or a phone keeps of its messages.
func IsXMLRows(_ string, start []byte) bool {
	return bytes.Contains(start, []byte("iso:20022:tech:xsd:camt.05")) || isPhone(start)
}

func xmlRows(text string) ([][]string, error) {
	if !isPhone([]byte(text[:min(len(text), 4096)])) {
		return camt.rows(text)
	}
	return phone.rows(halves().ReplaceAllStringFunc(text, func(pair string) string {
		var first, second rune
		_, _ = fmt.Sscanf(pair, "&#%d;&#%d;", &first, &second) // two numbers of five digits, as the expression has them
		return string(utf16.DecodeRune(first, second))
	}))
}
