package item

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
)

// A line is taken back without a copy of all lines that wait: some readers look ahead at each line of a file.
func TestLinesAreTakenBackAtNoCost(t *testing.T) {
	lines := NewLines(bufio.NewReader(strings.NewReader(strings.Repeat("a\n", 1000) + "b\n")))
	var ahead [][]byte
	for range 1000 {
		line, _ := lines.Next()
		ahead = append(ahead, bytes.Clone(line))
	}
	lines.Back(ahead...)
	copies := testing.AllocsPerRun(100, func() {
		one, _ := lines.Next()
		lines.Back(one)
	})
	if copies > 0 {
		t.Errorf("%v copies for each line", copies)
	}
	if next := lines.Peek(); string(next) != "a\n" || lines.Number != 0 {
		t.Errorf("got %q after line %d", next, lines.Number)
	}
	for range 1000 {
		_, _ = lines.Next()
	}
	lines.Back([]byte("x\n"), []byte("y\n"))
	var rest []string
	for line, err := lines.Next(); err == nil; line, err = lines.Next() {
		rest = append(rest, string(line))
	}
	if got := strings.Join(rest, ""); got != "x\ny\nb\n" {
		t.Errorf("got %q", got)
	}
}
