package importer

import "testing"

// A report about a skipped file is one line, whatever the name of the file.
func TestASkipIsOneLine(t *testing.T) {
	for _, test := range []struct {
		skip Skip
		want string
	}{
		{Skip{File: "a.zip/x\npdpp-mcp: all is well", Reason: "of no known kind"}, `a.zip/x\u000apdpp-mcp: all is well: of no known kind`},
		{Skip{File: "x\ny.csv", Line: 3, Reason: "why"}, `x\u000ay.csv:3: why`},
		{Skip{File: "plain.csv", Line: 3, Reason: "why"}, "plain.csv:3: why"},
	} {
		if got := test.skip.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
