package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

// The laws: lines are the input cut at its line breaks, in their order and to the last byte; only a line above the limit
// is missing, and reported, and what follows it is read.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "\n", "a", "a\n", "a\nb", "\r\n\n", "a\n\nb\n", " \n", "\x00\n"} {
		f.Add([]byte(seed), uint8(0))
		f.Add([]byte(seed), uint8(3))
	}
	long := strings.Repeat("x", maxLineBytes+2)
	f.Fuzz(func(t *testing.T, text []byte, at uint8) {
		lines := bytes.SplitAfter(text, []byte("\n"))
		tooLong := -1
		if n := int(at); n < len(lines)-1 { // one whole line in the middle becomes too long
			lines[n], tooLong = []byte(long+"\n"), n
		}
		reader := bufio.NewReaderSize(bytes.NewReader(bytes.Join(lines, nil)), 64)
		for i, want := range lines {
			got, err := readLine(reader)
			last := i == len(lines)-1
			switch {
			case i == tooLong:
				if !errors.Is(err, errLineTooLong) || got != nil {
					t.Fatalf("line %d: %d bytes, %v", i, len(got), err)
				}
			case !bytes.Equal(got, want):
				t.Fatalf("line %d is %q, want %q", i, got, want)
			case !last && err != nil || last && err != nil && !errors.Is(err, io.EOF) || last && err == nil && len(bytes.TrimSpace(want)) == 0:
				t.Fatalf("line %d: %v", i, err)
			}
		}
		if got, err := readLine(reader); len(got) > 0 || !errors.Is(err, io.EOF) {
			t.Errorf("after the end: %q, %v", got, err)
		}
	})
}
