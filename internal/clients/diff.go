package clients

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Diff returns the changed lines as a diff. It has no context lines, and of a long line only the part that changes: the rest may
// contain credentials of other servers.
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

// writeSide writes removed or added lines, each shortened to where it differs from its counterpart in others.
func writeSide(out *strings.Builder, sign string, lines, others []string) {
	for i, line := range lines {
		line = masked(line) // before it is cut: within a token, nothing shows that it is one
		if i < len(others) {
			line = cut(line, masked(others[i]))
		}
		out.WriteString(sign + line + "\n")
	}
}

var (
	bearerValue = regexp.MustCompile(`(?i)\b(bearer\s+)[^\s"'$]+`)
	secretValue = regexp.MustCompile(`(?i)("?[\w-]*(?:token|secret|password|api_?key)[\w-]*"?\s*[:=]\s*)(["'])([^"']*)(["'])`)
)

// masked returns a line with tokens replaced by "…". A person may have written one into our entry by hand.
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

// longLine is the length in bytes up to which a changed line is shown completely.
const longLine = 200

// cut shortens a long line to the part that differs from other.
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
