package integration

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// canaryBearer has every kind of character that a bearer token may have (RFC 6750).
const canaryBearer = "tok.Canary-7Hq/2+x~Zp_19=="

var escapedCharacter = regexp.MustCompile(`\\+u00([0-9a-fA-F]{2})`)

// leaks returns the form in which a text contains a token, or "".
func leaks(text, token string) string {
	text = escapedCharacter.ReplaceAllStringFunc(text, func(escape string) string {
		unit, _ := strconv.ParseUint(escape[len(escape)-2:], 16, 8)
		return string(rune(unit))
	})
	text = strings.NewReplacer(`\/`, "/", "-", "+", "_", "/").Replace(text) // both alphabets of base64 as one
	forms := map[string]string{"itself": token, "start": token[:15], "percent": url.QueryEscape(token), "percent in lower case": strings.ToLower(url.QueryEscape(token))}
	for n := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte("xyz"[:n] + token))
		forms[fmt.Sprint("base64 ", n)] = encoded[4 : len(encoded)-4]
	}
	same := strings.NewReplacer("-", "+", "_", "/")
	for name, form := range forms {
		if name == "percent in lower case" && strings.Contains(strings.ToLower(text), same.Replace(form)) || strings.Contains(text, same.Replace(form)) {
			return name
		}
	}
	return ""
}

// echoes are the ways in which a resource server may repeat the token of a read.
var echoes = map[string]func(token string) string{
	"itself":     func(token string) string { return token },
	"percent":    url.QueryEscape,
	"base64":     func(token string) string { return base64.StdEncoding.EncodeToString([]byte("Bearer " + token)) },
	"base64 url": func(token string) string { return base64.URLEncoding.EncodeToString([]byte(token)) },
	"escaped": func(token string) string { // becomes an escape when it is put into JSON below
		var b strings.Builder
		for _, c := range token {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
		return b.String()
	},
	"slashes": func(token string) string { return strings.ReplaceAll(token, "/", `\/`) },
	"hidden":  func(token string) string { return token[:9] + `\u0000` + token[9:] },
	"at the end of the shown part": func(token string) string {
		return strings.Repeat("x", 590) + token
	},
}

// echoing is a resource server that repeats the token of each read wherever it can. The path or the query selects the form.
func echoing(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		echoAnswer(w, r, token)
	}))
	t.Cleanup(server.Close)
	return server
}

func echoAnswer(w http.ResponseWriter, r *http.Request, token string) {
	asked := r.URL.Query().Get("q") + r.URL.Query().Get("stream") + r.URL.Path
	echoed := token
	for name, echo := range echoes {
		if strings.Contains(asked, strings.ReplaceAll(name, " ", "_")+"!") {
			echoed = echo(token)
		}
	}
	w.Header().Set("X-Request-Id", "req_"+token)
	switch {
	case strings.Contains(asked, "error"):
		body(400, "application/json", `{"error":{"code":"`+strings.Trim(token, "=/+~")+`","message":"No: `+echoed+`","param":"`+echoed+`","retry_with":"`+echoed+`","request_id":"`+echoed+
			`","available_connections":[{"connection_id":"`+echoed+`","display_name":"`+echoed+`"}]}}`)(w, r)
	case strings.Contains(asked, "page"):
		body(200, "text/html; bearer="+token, "<html>"+token)(w, r)
	case strings.Contains(r.URL.Path, "/blobs/"):
		body(200, "text/plain", "A text with "+token)(w, r)
	case strings.HasSuffix(r.URL.Path, "/field-window"):
		body(200, "application/json", `{"field":{"path":"body"},"window":{"text":"`+echoed+`","start_chars":0,"end_chars":100,"total_chars":100}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/records"):
		body(200, "application/json", `{"data":[{"id":"1","stream":"notes","data":{"body":"`+echoed+`","`+echoed+`":1}}],"has_more":true,"next_cursor":"`+echoed+`","meta":{"warnings":[{"code":"w","message":"`+echoed+`"}]}}`)(w, r)
	case strings.HasSuffix(r.URL.Path, "/aggregate"):
		body(200, "application/json", `{"metric":"`+echoed+`","stream":"notes","groups":[{"key":"`+echoed+`","count":1}]}`)(w, r)
	case strings.Contains(r.URL.Path, "/records/"):
		body(200, "application/json", `{"id":"1","stream":"notes","data":{"title":"`+echoed+`","body":"`+echoed+`"}}`)(w, r)
	case r.URL.Path == "/v1/search":
		body(200, "application/json", `{"data":[{"stream":"notes","record_key":"`+echoed+`","title":"`+echoed+`","snippet":{"field":"body","text":"<mark>`+echoed+`</mark>"}}]}`)(w, r)
	case r.URL.Path == "/v1/streams":
		body(200, "application/json", `{"data":[{"name":"notes","display_name":"`+echoed+`","connection_id":"`+echoed+`"}]}`)(w, r)
	default:
		body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[{"connector_key":"`+echoed+`","streams":[{"name":"`+r.URL.Query().Get("stream")+`","field_capabilities":{"body":"t=`+echoed+`,lex"}}]}]}`)(w, r)
	}
}

// If a resource server repeats the token of a read, in any form and place, it reaches neither a model nor a log (S3-R3, D19).
func TestNoAnswerHoldsTheTokenItWasReadWith(t *testing.T) {
	server := echoing(t)
	endpoint, process := serve(t, "--rs-url", server.URL, "--log-level", "debug", "--no-breaker")
	for name := range echoes {
		word := strings.ReplaceAll(name, " ", "_") + "!"
		calls := map[string]string{"list_streams": `{}`, "fetch_blob": `{"blob_id":"b1"}`}
		t.Run(name, func(t *testing.T) {
			for _, kind := range []string{"good-", "error-", "page-"} {
				stream := kind + word
				calls["schema"], calls["query_records"] = `{"stream":"`+stream+`"}`, `{"stream":"`+stream+`"}`
				calls["aggregate"], calls["search"] = `{"stream":"`+stream+`","metric":"count","group_by":"kind"}`, `{"q":"`+stream+`"}`
				calls["fetch"], calls["read_record_field"] = `{"id":"`+stream+`:1"}`, `{"id":"`+stream+`:1","field":"body"}`
				for tool, arguments := range calls {
					message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}`
					_, header, text := post(t, endpoint, canaryBearer, message)
					if form := leaks(text+fmt.Sprint(header), canaryBearer); form != "" {
						t.Errorf("%s %s contains the token as %s:\n%.1500s", tool, arguments, form, text)
					}
				}
				for _, uri := range []string{"pdpp://stream/" + url.PathEscape(stream), "pdpp://streams", "pdpp://blob/" + handle(t, map[string]any{"v": 1, "kind": "blob", "blob_id": stream})} {
					_, _, text := post(t, endpoint, canaryBearer, `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"`+uri+`"}}`)
					if form := leaks(text+fromBase64(text), canaryBearer); form != "" {
						t.Errorf("%s contains the token as %s:\n%.1500s", uri, form, text)
					}
				}
			}
		})
	}
	if err := process.stop(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(process.stderr.String()) {
		if form := leaks(line, canaryBearer); form != "" {
			t.Fatalf("the log contains the token as %s: %s", form, line)
		}
	}
}

// handle returns the part of a resource URI after its kind.
func handle(t *testing.T, content map[string]any) string {
	t.Helper()
	raw, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// fromBase64 returns the decoded blob of an answer.
func fromBase64(answer string) string {
	_, rest, _ := strings.Cut(answer, `"blob":"`)
	encoded, _, _ := strings.Cut(rest, `"`)
	raw, _ := base64.StdEncoding.DecodeString(encoded)
	return string(raw)
}

// The client of a package has no token of a member, and does not get one if the resource server repeats it or another member's (S3-R16,
// D17).
func TestNoAnswerOfAPackageHoldsAMembersToken(t *testing.T) {
	tokens := []string{"member-first-canary", "member-other-canary"}
	telling := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if n == 0 && strings.Contains(r.URL.RawQuery, "first-fails") {
				body(500, "application/json", `{"error":{"code":"broken","message":"`+tokens[0]+`","request_id":"`+tokens[0]+`"}}`)(w, r)
				return
			}
			echoAnswer(w, r, tokens[0]+" "+tokens[n])
		}
	}
	f := newFamily(t, scriptedMember{"first-canary", telling(0)}, scriptedMember{"other-canary", telling(1)})
	endpoint, process := serve(t, "--rs-url", f.URL, "--packages-url", f.URL+"/packages", "--introspection-url", f.URL+"/introspect",
		"--introspection-client-id", "mcp", "--introspection-client-secret", "s3cret", "--log-level", "debug", "--no-breaker")
	for _, arguments := range []string{
		`"search","arguments":{"q":"x"}`, `"search","arguments":{"q":"error"}`, `"search","arguments":{"q":"first-fails"}`, `"list_streams","arguments":{}`, `"schema","arguments":{}`,
		`"query_records","arguments":{"stream":"notes","connection_id":"cin_first-canary"}`, `"fetch","arguments":{"id":"cin_other-canary/notes:1"}`,
		`"fetch","arguments":{"id":"cin_other-canary/notes:error"}`,
	} {
		_, _, text := post(t, endpoint, "a-package", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+arguments+`}}`)
		for _, token := range tokens {
			if form := leaks(text, token); form != "" {
				t.Errorf("%s contains a member's token as %s:\n%.1500s", arguments, form, text)
			}
		}
	}
	if err := process.stop(); err != nil {
		t.Fatal(err)
	}
	for _, token := range tokens {
		if form := leaks(process.stderr.String(), token); form != "" {
			t.Errorf("the log contains a member's token as %s:\n%s", form, process.stderr.String())
		}
	}
}
