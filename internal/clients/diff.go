package clients

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff shows what a change does, line by line. Lines that stay are left out: they are the person's own, and may hold
// credentials of other servers. A long line is cut to where it changes, for the same reason.
func (c Change) Diff() string {
	var out strings.Builder
	var gone, added []string
	flush := func() {
		writeSide(&out, "-", gone, added)
		writeSide(&out, "+", added, gone)
		gone, added = nil, nil
	}
	before := strings.ReplaceAll(string(c.Before), "\r\n", "\n")
	after := strings.ReplaceAll(string(c.After), "\r\n", "\n")
	_, hunks, _ := strings.Cut(string(diff.Diff("", []byte(before), "", []byte(after))), "\n@@")
	for line := range strings.Lines("@@" + hunks) {
		switch text := strings.TrimSuffix(line[1:], "\n"); line[0] {
		case '-':
			if len(added) > 0 {
				flush()
			}
			gone = append(gone, text)
		case '+':
			added = append(added, text)
		case '@':
			flush()
			out.WriteString(line)
		case ' ':
			flush()
		}
	}
	flush()
	return "--- " + c.Path + "\n+++ " + c.Path + "\n" + out.String()
}

// writeSide writes the lines that go or come, each cut to where it differs from the one on the other side.
func writeSide(out *strings.Builder, sign string, lines, others []string) {
	for i, line := range lines {
		if i < len(others) {
			line = cut(line, others[i])
		}
		out.WriteString(sign + masked(line) + "\n")
	}
}

var (
	bearerValue = regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"'$]+`)
	secretValue = regexp.MustCompile(`(?i)("?[\w-]*(?:token|secret|password|api_?key)[\w-]*"?\s*[:=]\s*)(["'])([^"']*)(["'])`)
)

// masked is a line without what a person may have put into our entry by hand: a token, where the name of a variable would
// do.
func masked(line string) string {
	line = bearerValue.ReplaceAllString(line, "${1}…")
	return secretValue.ReplaceAllStringFunc(line, func(found string) string {
		parts := secretValue.FindStringSubmatch(found)
		if strings.Contains(parts[1], "env_var") || strings.HasPrefix(parts[3], "$") {
			return found
		}
		return parts[1] + parts[2] + "…" + parts[4]
	})
}

// longLine is how much of a line that changes is shown whole, in bytes.
const longLine = 200

// cut leaves of a long line what differs from the one that it replaces.
func cut(line, other string) string {
	if len(line) <= longLine {
		return line
	}
	from := 0
	for from < len(line) && from < len(other) && line[from] == other[from] {
		from++
	}
	end, otherEnd := len(line), len(other)
	for end > from && otherEnd > from && line[end-1] == other[otherEnd-1] {
		end, otherEnd = end-1, otherEnd-1
	}
	return strings.ToValidUTF8("…"+line[from:end]+"…", "")
}
