package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

func TestEmbedFlags(t *testing.T) {
	for _, row := range []struct {
		name  string
		flags embedFlags
		want  string
	}{
		{"nothing is asked for", embedFlags{}, ""},
		{"an endpoint and a model", embedFlags{Embed: "http://127.0.0.1:1", EmbedModel: "m"}, ""},
		{"a model without an endpoint", embedFlags{EmbedModel: "m"}, "need --embed URL"},
		{"a host without an endpoint", embedFlags{EmbedAllow: []string{"h"}}, "need --embed URL"},
		{"an endpoint without a model", embedFlags{Embed: "http://127.0.0.1:1"}, "needs the name of a model"},
		{"an address without a scheme", embedFlags{Embed: "127.0.0.1:1", EmbedModel: "m"}, "must be an http or https address"},
	} {
		client, err := row.flags.client()
		switch usage, ok := errors.AsType[*exit.Error](err); {
		case row.want == "" && (err != nil || (client == nil) != (row.flags.Embed == "")):
			t.Errorf("%s: %v, %v", row.name, client, err)
		case row.want != "" && (!ok || usage.Code != exit.Usage || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// Grants of a demo name the place of its resource server, which is the same at the next start.
func TestTheDemosResourceServerKeepsItsPort(t *testing.T) {
	for listen, want := range map[string]string{"127.0.0.1:7710": "127.0.0.1:7711", ":7710": "127.0.0.1:7711", "127.0.0.1:0": "", "127.0.0.1:65535": "", "x": ""} {
		if got := portAfter(listen); got != want {
			t.Errorf("after %s: %q, want %q", listen, got, want)
		}
	}
}
