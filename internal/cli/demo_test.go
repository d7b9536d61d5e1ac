package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/embedding"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

func TestEmbedFlags(t *testing.T) {
	for _, row := range []struct {
		name  string
		flags embedding.Options
		want  string
	}{
		{"no flags", embedding.Options{}, ""},
		{"an endpoint and a model", embedding.Options{URL: "http://127.0.0.1:1", Model: "m"}, ""},
		{"a model without an endpoint", embedding.Options{Model: "m"}, "need --embed URL"},
		{"a host without an endpoint", embedding.Options{Allow: []string{"h"}}, "need --embed URL"},
		{"an endpoint without a model", embedding.Options{URL: "http://127.0.0.1:1"}, "needs the name of a model"},
		{"an address without a scheme", embedding.Options{URL: "127.0.0.1:1", Model: "m"}, "must be an http or https address"},
	} {
		client, err := embedClient(row.flags)
		switch usage, ok := errors.AsType[*exit.Error](err); {
		case row.want == "" && (err != nil || (client == nil) != (row.flags.URL == "")):
			t.Errorf("%s: %v, %v", row.name, client, err)
		case row.want != "" && (!ok || usage.Code != exit.Usage || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// The demo's resource server has the same address at each start, since stored grants contain it.
func TestTheDemosResourceServerKeepsItsPort(t *testing.T) {
	for listen, want := range map[string]string{"127.0.0.1:7710": "127.0.0.1:7711", ":7710": "127.0.0.1:7711", "127.0.0.1:0": "", "127.0.0.1:65535": "", "x": ""} {
		if got := portAfter(listen); got != want {
			t.Errorf("after %s: %q, want %q", listen, got, want)
		}
	}
}
