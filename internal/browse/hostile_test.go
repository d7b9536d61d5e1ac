package browse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/internal/page/pagetest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// quoted returns a text as a JSON string with the fewest escapes: all other bytes are unchanged, including invalid UTF-8.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + `"`
}

// answers are the answers of tools, in which $ is replaced by a hostile text as a JSON string, % by the text within a string, and & by
// the text in quotes within a string.
var answers = map[string]string{
	"schema": `{"notice":$,"next":{"arguments":{"offset":5}},"data":{"meta":{"warnings":[{"message":$}]},
		"connections":[{"connection_id":$,"display_name":$,"connector_key":$,
		"streams":[{"name":$,"records":$,"newest_emitted":$}]}],
		"connectors":[{"streams":[{"cursor_field":$,"expand_capabilities":[{"name":$,"usable":true,"target_stream":$,"foreign_key":"parent"}],
		"field_capabilities":{$:"t=timestamp,role=event-time,eq,r=gte,a=group_by_time",
		"title":"t=string,role=primary-title","n":"t=integer","o":$,
		"a":"t=array","b":"t=string","c":"t=string","d":"t=string","e":"t=string"}}]}]}}`,
	"query_records": `{"data":{"meta":{"count":{"value":$}},"next_cursor":$,"data":[{"id":$,"stream":$,"connection_id":$,"display_name":$,
		"data":{$:$,"title":$,"n":$,"o":{"a b c d e f g h i j k l m n o p q r s t u":$,$:$},"a":[$,$]}},{"id":$,"data":{}}]}}`,
	"aggregate": `{"data":{"value":$,"filtered_record_count":$,"other_count":3,
		"groups":[{"key":"2026-01-01","count":2},{"key":"2026-03-01","count":$},
		{"key":$,"count":$}]}}`,
	"search": `{"data":{"next_cursor":$,"meta":{"count":$}},"results":[{"id":$,"title":$,"display_name":$,"stream":$,"authored_at":$,
		"evidence":{"text":$,"field":$}},{"id":$,"evidence":{"text":"% <mark>%</mark> <b> <mark>%"}}]}`,
	"fetch": `{"title":$,"metadata":{"connection_id":$,"stream":$,"display_name":$,"authored_at":$,"incomplete":[$,{"id":$}]},
		"text":"` + `id: %\nparent: %\n%: %\n\nbody %:\n> %\n> %\n[%]\n\n` +
		`parts of c/parts:r (n: %)\nname %:\n> %\n\n` +
		`expanded r%: % records\nc/s:r {\"a\":\"b\"}\nc/s:r {%\n\nattached &, text/html, 9 bytes: resource pdpp://blob/x"}`,
	"refuse": `{"error":{"code":$,"message":$,"hint":$}}`,
}

// hostilePages serves pages whose tools, fields, records and errors contain the text. If refused is true, every call fails.
func hostilePages(t *testing.T, text string, refused bool) *httptest.Server {
	line := quoted(strings.NewReplacer("\n", " ", "\r", " ").Replace(text))
	twice := quoted(line)
	filled := strings.NewReplacer("$", quoted(text), "%", line[1:len(line)-1], "&", twice[1:len(twice)-1])
	ask := func(_ context.Context, method string, params any) (string, error) {
		if method == "tools/list" {
			return filled.Replace(`{"tools":[{"name":$,"description":$,
				"inputSchema":{"required":[$],"properties":{$:{"type":$,"description":$}}}}]}`), nil
		}
		call, _ := params.(map[string]any)
		tool, _ := call["name"].(string)
		answer := answers[tool]
		if refused {
			answer = answers["refuse"]
		} else if answer == "" && strings.HasSuffix(tool, "!") {
			return "", errors.New(text)
		}
		return filled.Replace(`{"content":[{"type":"text","text":$}],"structuredContent":` + cmp.Or(answer, "{$:$}") + `}`), nil
	}
	pages := New(Options{
		Ask: ask, Now: time.Now, IsOwner: func(secret string) bool { return secret == "secret" },
		Connect: page.New(page.Options{Server: clients.Server{Name: "pdpp"}}),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Serve(w, r, "http://127.0.0.1/mcp", "ready")
	}))
	t.Cleanup(server.Close)
	return server
}

// visited requests a page, posting the form if it is not nil, and returns the status and the body.
func visited(t *testing.T, browser *http.Client, address string, form url.Values) (int, string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, address, nil)
	if form != nil {
		request = httptest.NewRequest(http.MethodPost, address, strings.NewReader(form.Encode()))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", "http://"+request.Host)
	}
	request.RequestURI = ""
	response, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// addresses returns the addresses of every view with the text in all parameters. Those in forms show the text in a form.
func addresses(text string) (shown, forms []string) {
	text = "q" + text // no answer contains it, so no item of a list is selected
	q := url.QueryEscape(text)
	return []string{
			"/", "/?offset=5", "/?view=connect", "/?view=search", "/?view=call", "/?view=" + q,
			"/?view=record&id=" + strings.ReplaceAll(q, "%3A", ""),
			"/?view=record&id=" + url.QueryEscape(rs.Ref{ConnectionID: "c", Stream: "s", RecordID: text}.String()),
			"/?view=months&by=year&stream=" + q, "/?view=call&tool=" + q + "%21",
			"/?view=call&tool=" + q + "&arguments=" + url.QueryEscape("{"+quoted(text)+":"+quoted(text)+"}"),
			"/?view=file&name=" + q + "&uri=" + q, "/?" + q + "=" + q,
		}, []string{
			"/?view=records&order=desc&operator=gte&stream=" + q + "&connection=" + q + "&filter=" + q + "&value=" + q + "&sort=" + q +
				"&cursor=" + q,
			"/?view=months&stream=" + q + "&connection=" + q + "&field=" + q,
			"/?view=search&q=" + q + "&stream=" + q + "&since=" + q + "&until=" + q + "&cursor=" + q,
		}
}

// shapes returns the markup of all views, signed out and signed in, with text in all answers and typed in the addresses.
func shapes(t *testing.T, text, typed string, refused bool) map[string][]string {
	server := hostilePages(t, text, refused)
	jar, _ := cookiejar.New(nil)
	browser := &http.Client{Jar: jar}
	views, forms := addresses(typed)
	all := map[string][]string{}
	for _, form := range []url.Values{{"owner_secret": {typed}, typed: {typed}}, nil} {
		for i, address := range append(views, forms...) {
			status, body := visited(t, browser, server.URL+address, form)
			all[fmt.Sprintf("view %d, signed in %t", i, form == nil)] = append(pagetest.Shape(t, body), strconv.Itoa(status))
			if form == nil && i >= len(views) && !pagetest.Holds(t, body, "q"+typed) {
				t.Errorf("%q is lost in %s", typed, address)
			}
		}
		visited(t, browser, server.URL, url.Values{"owner_secret": {"secret"}})
	}
	return all
}

// Records, tools, errors, forms and addresses cannot add an element, an attribute or a link to a page: its markup is the same as with
// harmless text.
func TestNothingOfARecordIsMarkup(t *testing.T) {
	for _, refused := range []bool{false, true} {
		for _, text := range pagetest.Hostile() {
			typed := pagetest.Typed(text)
			got, want := shapes(t, text, typed, refused), shapes(t, pagetest.Plain(text), pagetest.Plain(typed), refused)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%q, refused %t:\n%s", text, refused, diff)
			}
		}
	}
}
