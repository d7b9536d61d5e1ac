package connect

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The command that asks for more names what is granted, what is missing, and nothing that a shell or a person could take for something else.
func TestCommands(t *testing.T) {
	stored := func(name string, g credentials.Grant) credentials.Credential {
		return credentials.Credential{ProviderURL: "https://rs.example", Name: name, Document: credentials.Document{Grant: g}}
	}
	mail := stored(credentials.DefaultName, credentials.Grant{
		Source: "https://registry.example/connectors/gmail", Streams: []string{"messages"}, Connections: []string{"cin_a"},
		Since: "2026-03-01T00:00:00Z",
	})
	chat := stored("slack", credentials.Grant{
		Source: "https://registry.example/connectors/slack", Streams: []string{"channels"}, Mode: "single_use",
	})
	const gmail = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages"
	const slack = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/slack --stream channels"
	some := stored(credentials.DefaultName, credentials.Grant{
		Source: "https://registry.example/connectors/gmail", Streams: []string{"messages", "labels"}, Fields: []string{"messages.subject", "labels.name"},
	})
	const part = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages --stream labels"
	both := []credentials.Credential{mail, chat}
	const ended = " --connection cin_a --since 2026-03-01"
	shell := stored(credentials.DefaultName, credentials.Grant{Source: "https://registry.example/a", Streams: []string{`a" & calc & "`}})
	flag := stored(credentials.DefaultName, credentials.Grant{Source: "https://registry.example/a", Connections: []string{"--cache-root=/"}})
	for name, row := range map[string]struct {
		stored  []credentials.Credential
		root    string
		missing rs.Missing
		want    []string
	}{
		"a stream":     {both[:1], "", rs.Missing{Streams: []string{"threads"}}, []string{gmail + " --stream threads" + ended}},
		"a connection": {both[:1], "", rs.Missing{Connection: "cin_b"}, []string{gmail + " --connection cin_a --connection cin_b --since 2026-03-01"}},
		"a time":       {both, "", rs.Missing{Streams: []string{"messages"}, AllTimes: true}, []string{gmail + " --connection cin_a"}},
		"a field: all of its stream": {
			[]credentials.Credential{some}, "", rs.Missing{Streams: []string{"messages"}}, []string{part + " --field labels.name"},
		},
		"a time of some fields": {
			[]credentials.Credential{some}, "", rs.Missing{Streams: []string{"messages"}, AllTimes: true},
			[]string{part + " --field messages.subject --field labels.name"},
		},
		"nothing: the same again": {both[1:], "/a b", rs.Missing{}, []string{slack + " --once --name slack --cache-root '/a b'"}},
		"which grant is not known": {
			both, "", rs.Missing{Streams: []string{"threads"}},
			[]string{gmail + " --stream threads" + ended, slack + " --stream threads --once --name slack"},
		},
		"a name that a shell would read":      {both, "", rs.Missing{Streams: []string{"x;rm -rf ~"}}, nil},
		"a name that reads like a flag":       {both, "", rs.Missing{Connection: "--cache-root=/"}, nil},
		"a stream that some shell would read": {[]credentials.Credential{shell}, "", rs.Missing{}, nil},
		"a connection that reads like a flag": {[]credentials.Credential{flag}, "", rs.Missing{}, nil},
		"a grant whose source is not known":   {[]credentials.Credential{{ProviderURL: "https://rs.example"}}, "", rs.Missing{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, Commands(row.stored, row.root, row.missing)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
