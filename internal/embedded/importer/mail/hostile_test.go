package mail

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// nested returns a message of nested parts.
func nested(depth int) string {
	var text strings.Builder
	text.WriteString("From: a@example.com\nContent-Type: multipart/mixed; boundary=b0\n\n")
	for level := range depth {
		fmt.Fprintf(&text, "--b%d\nContent-Type: multipart/mixed; boundary=b%d\n\n", level, level+1)
	}
	return text.String() + "the innermost\n"
}

// Each of these keeps a mail library busy for seconds or makes it reject the message; here each is read in one pass and keeps its text.
func TestHostileMessagesKeepTheirText(t *testing.T) {
	tests := []struct {
		name, message, text, defect string
	}{
		{"parts in parts, a thousand deep", nested(1000), "the innermost", "parts that cannot be told apart"},
		{
			"twenty thousand parts", "From: a@example.com\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\nx\n", 20_000) + "--b--\n",
			"x\n\nx", "more than 500 parts",
		},
		{
			"a part with a type that is not one",
			"From: a@example.com\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: cannot open (No such file)\n\nfirst\n--b\n\nsecond\n--b--\n",
			"second", "",
		},
		{"a line in the header that is not one", "From: a@example.com\nno header\nSubject: s\n\nthe text\n", "the text", "a line in the header is invalid"},
		{"HTML, twenty thousand elements deep", "From: a@example.com\nContent-Type: text/html\n\n" + strings.Repeat("<div>", 20_000) + "the text", "the text", ""},
		{"a charset that does not exist", "From: a@example.com\nContent-Type: text/plain; charset=none\n\ncaf\xe9\n", "café", "unknown charset none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for message, err := range NewReader(bufio.NewReader(strings.NewReader(test.message))) {
				if err != nil {
					t.Fatal(err)
				}
				defects, _ := message.Value("defects")
				if text := message.String("body_text"); !strings.Contains(text, test.text) || !strings.Contains(string(defects), test.defect) {
					t.Errorf("text %.200q, defects %s; want %q", text, defects, test.text)
				}
				return
			}
			t.Error("no message")
		})
	}
}
