package integration

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ungrantedCalls need more than the grant, which has mail of one account since March, without threads and attachments.
var ungrantedCalls = []string{
	`query_records {"stream":"threads"}`,
	`query_records {"stream":"messages","connection_id":"cin_mail_personal"}`,
	`search {"q":"invoice","streams":["messages","threads"],"limit":1}`,
	`search {"q":"invoice","streams":["threads","channels"]}`,
	`search {"q":"zzqqxx"}`,
	`search {"since":"2026-02-01","until":"2026-03-02","streams":["messages"],"limit":1}`,
	`search {"since":"2026-02-01","until":"2026-03-02","streams":["messages","threads"],"limit":1}`,
	`query_records {"stream":"messages","limit":1,"fields":["subject"]}`,
	`query_records {"stream":"messages","limit":1,"fields":["subject"],"filter":{"received_at":{"lt":"2026-03-05"}}}`,
	`query_records {"stream":"messages","limit":1,"fields":["subject"],"filter":{"received_at":{"gte":"2026-03-02","lt":"2026-03-05"}}}`,
	`query_records {"stream":"messages","filter":{"received_at":{"lt":"2026-02-01"}}}`,
	`aggregate {"stream":"messages","metric":"count"}`,
	`aggregate {"stream":"messages","metric":"count","filter":{"received_at":{"lt":"2026-02-01"}}}`,
	`fetch {"id":"cin_mail_work/messages:nothing"}`,
	`schema {"stream":"threads"}`,
	`schema {"stream":"messages"}`,
	`schema {}`,
}

// ungrantedFields are calls for a grant of some fields of a stream.
var ungrantedFields = []string{
	`query_records {"stream":"messages","limit":1,"fields":["subject","snippet"]}`,
	`read_record_field {"id":"cin_mail_work/messages:w-m0720","field":"snippet"}`,
	`schema {"stream":"messages"}`,
}

var updateUngranted = flag.Bool("update-ungranted", false, "rewrite testdata/ungranted.txt")

// For data that is not granted, both channels name the missing stream, connection or time, and the command that asks the owner for it,
// which can be run.
func TestMoreThanWasGranted(t *testing.T) {
	root := t.TempDir()
	connects(t, root, "auto", "--source", "gmail", "--connection", "cin_mail_work", "--stream", "messages", "--since", "2026-03-01")
	narrow := t.TempDir()
	connects(t, narrow, "auto", "--source", "gmail", "--connection", "cin_mail_work", "--since", "2026-03-01", "--field", "messages.thread_id", "--field", "messages.subject")
	plain := strings.NewReplacer(sample.RSURL, "https://rs.example", root, "ROOT", narrow, "ROOT")
	var seen strings.Builder
	command := ""
	for _, part := range []struct {
		root  string
		calls []string
	}{{root, ungrantedCalls}, {narrow, ungrantedFields}} {
		s := overStdio(t, "--cache-root", part.root)
		for _, call := range part.calls {
			tool, arguments, _ := strings.Cut(call, " ")
			result := s.call(tool, json.RawMessage(arguments))
			text := result.Content[0].(*mcp.TextContent).Text
			seen.WriteString("› " + call + "\n" + changing.ReplaceAllString(plain.Replace(text), "…") + "\n" + plain.Replace(notGrantedOf(t, result.StructuredContent)) + "\n")
			if _, found, ok := strings.Cut(text, "the owner runs in a terminal: "); ok && strings.Contains(found, "--stream threads") {
				command, _, _ = strings.Cut(found, "\n")
			}
		}
	}
	golden := filepath.Join("testdata", "ungranted.txt")
	if *updateUngranted {
		check(t, os.WriteFile(golden, []byte(seen.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	check(t, err)
	if seen.String() != string(want) {
		t.Errorf("run with -update-ungranted and read the difference:\n%s", seen.String())
	}
	if runtime.GOOS == "windows" {
		return
	}
	words, err := exec.Command("sh", "-c", "printf '%s\\n' "+command).Output() // as a person's shell parses it
	check(t, err)
	args := strings.Split(strings.TrimSpace(string(words)), "\n")
	if len(args) < 5 || args[0] != "pdpp-mcp" || args[1] != "connect" || args[2] != sample.RSURL {
		t.Fatalf("no command: %q", command)
	}
	connects(t, root, "auto", args[3:]...)
	if got := finish(t, nil, "", "call", "search", `{"q":"invoice","streams":["messages","threads"],"limit":1}`, "--cache-root", root); got.code != 0 || strings.Contains(got.stdout, "not granted here") {
		t.Errorf("after %s: %d %s%s", command, got.code, got.stdout, got.stderr)
	}
}

// changing matches what differs between runs.
var changing = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\dZ; times are UTC|request_id=\S+|"cursor":"[^"]+"`)

// notGrantedOf returns the members of structured output about what is not granted, and about the freshness and the time limit of the
// rest.
func notGrantedOf(t *testing.T, structured any) string {
	t.Helper()
	whole, ok := structured.(map[string]any)
	if !ok {
		t.Fatalf("structured output is %T", structured)
	}
	found := ""
	for _, within := range []string{"", "error", "data"} {
		o := whole
		if within != "" {
			o, _ = whole[within].(map[string]any)
		}
		for _, name := range []string{"not_granted", "connect", "freshness", "granted_time"} {
			if value, there := o[name]; there {
				found += within + "." + name + " = " + compact(value) + "\n"
			}
		}
	}
	return found
}

// A hosted client is asked to sign in again, with 403 (RFC 6750 section 3.1), only if the owner is then asked for what the call needs.
// Otherwise the answer says what is missing, since a new sign-in would give the same grant.
func TestAHostedClientSignsInAgainForMore(t *testing.T) {
	address := loopbackAddress(t)
	url := "http://" + address + "/mcp"
	serve(t, append(introspected(sample), "--rs-url", sample.RSURL, "--listen", address, "--public-url", "http://"+address, "--authorization-source", "gmail")...)
	elsewhere, _ := serve(t, append(introspected(sample), "--rs-url", sample.RSURL)...)
	for name, row := range map[string]struct {
		url, arguments string
		status         int
		says           string
	}{
		"a stream of the source":              {url, `{"q":"invoice","streams":["threads"]}`, 403, `no stream \"threads\" in this grant`},
		"a stream that it does not have":      {url, `{"q":"invoice","streams":["orders"]}`, 200, `no stream \"orders\" in this grant`},
		"a connection":                        {url, `{"q":"invoice","connection_id":"cin_mail_personal"}`, 200, `no connection \"cin_mail_personal\"`},
		"a stream beside one that is granted": {url, `{"q":"invoice","streams":["messages","threads"]}`, 200, `not granted here, and left out: threads`},
		"a time":                              {url, `{"q":"zzqqxx","streams":["messages"]}`, 200, `is limited to received_at from 2026-03-01 00:00`},
		"where hosts do not sign in":          {elsewhere, `{"q":"invoice","streams":["threads"]}`, 200, `no stream \"threads\" in this grant`},
	} {
		t.Run(name, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":` + row.arguments + `}}`
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, row.url, strings.NewReader(body))
			check(t, err)
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer "+sample.NarrowToken)
			status, header, answer := do(t, request)
			if status != row.status || !strings.Contains(answer, row.says) {
				t.Errorf("%d %s; want %q", status, answer, row.says)
			}
			challenge := header.Get("WWW-Authenticate")
			if asks := strings.HasPrefix(challenge, `Bearer error="insufficient_scope", error_description="no stream threads in this grant.`) &&
				strings.Contains(challenge, `resource_metadata="http://`+address); asks != (row.status == 403) || !asks && challenge != "" {
				t.Errorf("challenge %q", challenge)
			}
		})
	}
}
