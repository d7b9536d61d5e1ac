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

// quoted is a text in JSON with every byte that JSON does not escape, those that are no UTF-8 too.
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

// answers are what tools say, with $ for a text in all places, % for it within a text, and & for it in quotes within a text.
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

// hostilePages answers with one text wherever a tool, a field, a record or an error could say any. With refused, every call is.
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
		Ask: ask, Now: time.Now, IsOwner: func(secret string) (bool, error) { return secret == "secret", nil },
		Connect: page.New(page.Options{Server: clients.Server{Name: "pdpp"}}),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages.Serve(w, r, "http://127.0.0.1/mcp", "ready")
	}))
	t.Cleanup(server.Close)
	return server
}

// visited is a page; a form is sent where there is one.
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

// addresses are of every view, with a text where one may be; forms show it in a form.
func addresses(text string) (shown, forms []string) {
	text = "q" + text // which no answer says: nothing of a list is chosen
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

// shapes are those of all views where everything says a text and typed is in the addresses: to sign in, then signed in.
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

// Whatever records, tools, errors, forms and addresses say, no page has an element, an attribute or a link that it has not for words.
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
