package tools_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// A members reads each member of a package from a separate server and counts the reads.
type members struct {
	servers map[string]*middlewaretest.RS // by token

	mu    sync.Mutex
	reads int
}

// A memberReader reads one member.
type memberReader struct {
	*members
	token string
}

// Do counts a read and forwards it to the member's server.
func (m memberReader) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	m.mu.Lock()
	m.reads++
	m.mu.Unlock()
	return m.servers[m.token].Do(ctx, r)
}

// packageOf returns a package of count members, each with the records of a year.
func packageOf(count int) (auth.Package, *members) {
	m := &members{servers: map[string]*middlewaretest.RS{}}
	var all []fanout.Member
	for i := range count {
		token := fmt.Sprint("tok_", i)
		server := allWords(year, 404)
		answer, connection := server.Answer, fmt.Sprint("c", i)
		server.Answer = func(r rs.Request) (*rs.Response, error) {
			response, err := answer(r)
			if err == nil {
				response = middlewaretest.JSON(strings.ReplaceAll(response.Body, `"connection_id":"c"`, `"connection_id":"`+connection+`"`))
			}
			return response, err
		}
		m.servers[token] = server
		all = append(all, fanout.Member{
			Connection: rs.Connection{GrantID: "g" + token, ConnectorKey: "mail", ID: connection, DisplayName: "Mail " + connection},
			Streams:    []string{"s"}, Token: rs.NewToken(token),
		})
	}
	return fanout.NewPackage(fanout.Membership{PackageID: "pkg", Members: all}, func(t rs.Token) rs.Doer { return memberReader{m, t.Reveal()} }, fanout.PackageOptions{}), m
}

func TestARepairOverAPackageIsBounded(t *testing.T) {
	const asked = `{"q":"when is my dentist appointment moved garage bill reminder letter window","limit":50}`
	for count := 1; count <= 26; count++ {
		p, m := packageOf(count)
		result := use(t, tools.Search(""), p, []byte(asked))
		repaired := strings.Contains(result.Structured, "No record has all of")
		if m.reads > max(count, relax.MaxPackageReads) || count == 1 && m.reads > relax.MaxReads {
			t.Errorf("%d members are read %d times", count, m.reads)
		}
		if repaired != (count <= relax.MaxPackageReads/2) {
			t.Errorf("with %d members, repaired: %t", count, repaired)
		}
	}
}

func TestAMemberThatFailsDuringARepairIsNamed(t *testing.T) {
	p, m := packageOf(3)
	server := m.servers["tok_1"]
	answer := server.Answer
	server.Answer = func(r rs.Request) (*rs.Response, error) {
		if r.Query.Get("q") == "dentist" {
			return nil, &rs.Error{Code: "server_unreachable", Message: "It hung up."}
		}
		return answer(r)
	}
	result := use(t, tools.Search(""), p, []byte(`{"q":"when is my dentist appointment moved"}`))
	for channel, text := range map[string]string{"text": result.Text, "structured": result.Structured} {
		if !strings.Contains(text, "Mail c1") || !strings.Contains(text, "server_unreachable") || !strings.Contains(text, "No record has all of") {
			t.Errorf("%s does not name the member that failed:\n%s", channel, text)
		}
	}
}
