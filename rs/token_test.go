package rs_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestACredentialIsVisibleASCII(t *testing.T) {
	for credential, want := range map[string]bool{
		"a": true, "!~": true, "": false, "a b": false, " a": false, "a\n": false, "a\x7f": false, "é": false, "a\xff": false,
	} {
		if got := rs.IsHeaderText(credential); got != want {
			t.Errorf("%q can be sent: %v", credential, got)
		}
	}
}
