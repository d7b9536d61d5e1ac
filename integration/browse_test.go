package integration

import (
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A visitor is a browser without scripts on the page of a demo.
type visitor struct {
	t      *testing.T
	origin string
	client *http.Client
}

func visitPage(t *testing.T, endpoint string) visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visitor{t, strings.TrimSuffix(endpoint, "/mcp"), &http.Client{Jar: jar}}
}

// send requests a path with headers, given as alternating names and values; it posts form if that is not nil.
func (v visitor) send(path string, form url.Values, headers ...string) (*http.Response, string) {
	v.t.Helper()
	method, content := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, content = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(v.t.Context(), method, v.origin+path, content)
	if err != nil {
		v.t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html")
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", v.origin)
	}
	for i := 0; i < len(headers); i += 2 {
		if request.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			request.Host = headers[i+1]
		}
		if headers[i+1] == "" {
			request.Header.Del(headers[i])
		}
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return response, string(body)
}

// open signs in with the owner's secret.
func (v visitor) open(secret string) visitor {
	v.t.Helper()
	response, body := v.send("/", url.Values{"owner_secret": {secret}})
	if response.StatusCode != http.StatusOK || !strings.Contains(body, "Sign out") {
		v.t.Fatalf("%d %s", response.StatusCode, body)
	}
	return v
}

// show returns a view.
func (v visitor) show(path string) string {
	v.t.Helper()
	response, body := v.send(path, nil)
	if response.StatusCode != http.StatusOK {
		v.t.Fatalf("%s: %d %s", path, response.StatusCode, body)
	}
	return body
}

// browseViews has one of each view over the sample year.
var browseViews = []string{
	"/",
	"/?view=records&stream=orders&connection=cin_shop",
	"/?view=records&stream=orders&connection=cin_shop&filter=total&operator=gte&value=100&sort=total&order=asc",
	"/?view=records&stream=messages&connection=cin_mail_work&filter=has_attachments&operator=&value=true",
	"/?view=record&id=cin_mail_personal/messages:p-m0539",
	"/?view=record&id=cin_mail_work/attachments:w-m0711-a1",
	"/?view=months&stream=orders&connection=cin_shop",
	"/?view=months&stream=orders&connection=cin_shop&by=year",
	"/?view=search&q=dentist",
	"/?view=search&q=invoice&stream=messages&since=2026-01-01",
	"/?view=call&tool=search&arguments=" + url.QueryEscape(`{"q":"dentist"}`),
}

func TestBrowsingNeedsTheOwnersSecret(t *testing.T) {
	t.Parallel()
	v := visitPage(t, sample.MCPURL)
	for _, path := range browseViews {
		body := v.show(path)
		if !strings.Contains(body, `name="owner_secret"`) || strings.Contains(body, "<table") || strings.Contains(body, "call-main") ||
			strings.Contains(body, "dentist ") {
			t.Errorf("signed out, %s shows more than the form:\n%s", path, body)
		}
	}
	if body := v.show("/?view=connect"); !strings.Contains(body, "Connect a client") {
		t.Error("how to connect is not open to everybody")
	}
	secret := url.Values{"owner_secret": {sample.OwnerSecret}}
	port := v.origin[strings.LastIndex(v.origin, ":"):]
	for _, c := range []struct {
		name, path string
		form       url.Values
		headers    []string
		status     int
	}{
		{"a wrong secret", "/", url.Values{"owner_secret": {"wrong"}}, nil, http.StatusForbidden},
		{"no secret", "/", url.Values{"other": {"x"}}, nil, http.StatusForbidden},
		{"the token in place of the secret", "/", url.Values{"owner_secret": {sample.ClientToken}}, nil, http.StatusForbidden},
		{"a form of another origin", "/", secret, []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"a form of another port", "/", secret, []string{"Origin", "http://127.0.0.1:1"}, http.StatusForbidden},
		{"a form without an origin", "/", secret, []string{"Origin", ""}, http.StatusForbidden},
		{"a form of an opaque origin", "/", secret, []string{"Origin", "null"}, http.StatusForbidden},
		{"a foreign host", "/", nil, []string{"Host", "evil.example"}, http.StatusMisdirectedRequest},
		{"a foreign host with this port", "/", nil, []string{"Host", "evil.example" + port}, http.StatusMisdirectedRequest},
		{"this host with another port", "/", nil, []string{"Host", "127.0.0.1:1"}, http.StatusMisdirectedRequest},
		{"another loopback address", "/", nil, []string{"Host", "127.0.0.2" + port}, http.StatusMisdirectedRequest},
		{
			"a sign-in at a foreign host", "/", secret, []string{"Host", "evil.example" + port, "Origin", "http://evil.example" + port},
			http.StatusMisdirectedRequest,
		},
		{"a read from a foreign origin", "/", nil, []string{"Origin", "https://evil.example"}, http.StatusForbidden},
		{"a form that is too long", "/", url.Values{"owner_secret": {strings.Repeat("x", 5000)}}, nil, http.StatusBadRequest},
		{"a body that is not a form", "/", secret, []string{"Content-Type", "application/json"}, http.StatusNotFound},
		{"an unknown view", "/?view=files", nil, nil, http.StatusBadRequest},
		{"an unknown parameter", "/?view=records&stream=orders&token=x", nil, nil, http.StatusBadRequest},
		{"a path below", "/records", nil, nil, http.StatusNotFound},
	} {
		response, body := v.send(c.path, c.form, c.headers...)
		if response.StatusCode != c.status || len(response.Cookies()) > 0 || strings.Contains(body, "<table") {
			t.Errorf("%s: %d with %v, not %d", c.name, response.StatusCode, response.Cookies(), c.status)
		}
		if c.status == http.StatusMisdirectedRequest && !strings.Contains(body, c.headers[1]) {
			t.Errorf("%s: the refusal does not name the host:\n%s", c.name, body)
		}
	}
}

// A browsing session ends when the owner signs out. A page of another site cannot use it.
func TestABrowsingSession(t *testing.T) {
	t.Parallel()
	v := visitPage(t, sample.MCPURL)
	v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, _ := v.send("/?view=search&q=dentist", url.Values{"owner_secret": {" " + sample.OwnerSecret + "\n"}})
	cookies := response.Cookies()
	if response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != "/?q=dentist&view=search" || len(cookies) != 1 {
		t.Fatalf("%d to %s with %v", response.StatusCode, response.Header.Get("Location"), cookies)
	}
	if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.MaxAge <= 0 || c.Path != "/" || c.Domain != "" ||
		slices.Contains(sample.secrets(), c.Value) {
		t.Errorf("the cookie is %v", c)
	}
	if body := v.show("/"); !strings.Contains(body, "Work mail") {
		t.Error("the session is not open")
	}
	if _, body := v.send("/", nil, "Sec-Fetch-Site", "cross-site"); strings.Contains(body, "Work mail") {
		t.Error("the session is open to another site")
	}
	if response, body := v.send("/", nil, "Accept", "application/json"); response.StatusCode != http.StatusNotFound ||
		strings.Contains(body, "Work mail") {
		t.Errorf("a client that reads JSON gets %d %s", response.StatusCode, body)
	}
	kept := v.client.Jar.Cookies(response.Request.URL)
	if response, _ := v.send("/", url.Values{"leave": {"1"}}, "Origin", "https://evil.example"); response.StatusCode != http.StatusForbidden {
		t.Errorf("another origin signs out: %d", response.StatusCode)
	}
	v.send("/", url.Values{"leave": {"1"}})
	for _, cookie := range [][]*http.Cookie{kept, {{Name: kept[0].Name, Value: ""}}, {{Name: kept[0].Name, Value: sample.ClientToken}}} {
		v.client.Jar.SetCookies(response.Request.URL, cookie)
		if body := v.show("/"); strings.Contains(body, "Work mail") {
			t.Errorf("%v opens", cookie)
		}
	}
}

var (
	linkPattern = regexp.MustCompile(`(?:href|action|src)="([^"]*)"`)
	mainCall    = regexp.MustCompile(`(?s)<pre id="call-main"[^>]*>(\S+) (.*?)</pre>`)
	ids         = regexp.MustCompile(` id="([^"]+)"`)
)

// No page that a link leads to has a token or a link to another site, and each has the same data as its call over /mcp.
func TestACrawlOfThePages(t *testing.T) {
	t.Parallel()
	v := visitPage(t, sample.MCPURL).open(sample.OwnerSecret)
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	secrets := append(sample.secrets(), sample.OwnerSecret, "Bearer pdpp_", "pdpp_member_")
	waiting, seen, perView := slices.Clone(browseViews), map[string]bool{}, map[string]int{}
	for len(waiting) > 0 {
		path := waiting[0]
		waiting = waiting[1:]
		asked, err := url.Parse(path)
		if view := asked.Query().Get("view"); err != nil || seen[path] || perView[view] >= 12 {
			continue
		} else {
			perView[view]++
		}
		seen[path] = true
		response, body := v.send(path, nil)
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", path, response.StatusCode)
		}
		for _, secret := range secrets {
			if strings.Contains(body, secret) || strings.Contains(path, secret) {
				t.Errorf("%s contains %s", path, secret)
			}
		}
		policy := response.Header.Get("Content-Security-Policy")
		if view := asked.Query().Get("view"); view == "file" && policy == "default-src 'none'; sandbox" {
			continue
		}
		if !strings.HasPrefix(policy, "default-src 'none'; script-src 'sha256-") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %s", path, policy)
		}
		for _, link := range linkPattern.FindAllStringSubmatch(body, -1) {
			switch target := html.UnescapeString(link[1]); {
			case asked.Query().Get("view") == "connect", target == "#main", target == "/icon.svg":
			case target == "/" || strings.HasPrefix(target, "/?"):
				waiting = append(waiting, target)
			default:
				t.Errorf("%s leads to %s", path, target)
			}
		}
		if strings.Contains(body, "<dt>&gt;") || strings.Contains(body, "<dd></dd>") {
			t.Errorf("%s reads a text as fields: %s", path, body)
		}
		counted := map[string]int{}
		for _, id := range ids.FindAllStringSubmatch(body, -1) {
			if counted[id[1]]++; counted[id[1]] > 1 {
				t.Errorf("%s repeats %s", path, id[1])
			}
		}
		if call := mainCall.FindStringSubmatch(body); call != nil {
			showsWhatItsCallGives(t, s, path, call[1], html.UnescapeString(call[2]), html.UnescapeString(body))
		}
	}
	if perView["record"] != 12 || perView["records"] != 12 || perView["months"] < 3 || perView["call"] != 12 || perView["connect"] != 1 || perView["file"] == 0 {
		t.Errorf("the crawl found too little: %v", perView)
	}
}

// showsWhatItsCallGives makes the call that a view names over /mcp and checks that the view has its data.
func showsWhatItsCallGives(t *testing.T, s session, path, tool, arguments, body string) {
	t.Helper()
	if strings.Contains(path, "view=call") { // it shows the complete answer
		for line := range strings.Lines(s.text(tool, args(arguments))) {
			if !strings.Contains(body, line) && !strings.Contains(line, "now 20") && !strings.Contains(line, `"cursor":`) {
				t.Errorf("%s does not show %q", path, line)
			}
		}
		return
	}
	var answer struct {
		Title, Text string
		Results     []struct{ ID, Title string }
		Data        struct {
			Connections []struct{ Streams []struct{ Name string } }
			Data        []struct {
				ID           string
				ConnectionID string `json:"connection_id"`
				Stream       string
			}
			Groups []struct{ Count int }
		}
	}
	s.structured(tool, args(arguments), &answer)
	var want []string
	for _, connection := range answer.Data.Connections {
		for _, stream := range connection.Streams {
			want = append(want, ">"+stream.Name+"<")
		}
	}
	for _, record := range answer.Data.Data {
		want = append(want, url.QueryEscape(rs.Ref{ConnectionID: record.ConnectionID, Stream: record.Stream, RecordID: record.ID}.String()))
	}
	for _, group := range answer.Data.Groups {
		want = append(want, fmt.Sprintf(`<td class="number">%d<`, group.Count))
	}
	for _, hit := range answer.Results {
		want = append(want, hit.Title, url.QueryEscape(hit.ID))
	}
	if want = append(want, answer.Title); answer.Text != "" {
		for line := range strings.SplitSeq(answer.Text, "\n") {
			_, value, short := strings.Cut(line, ": ")
			if text, quoted := strings.CutPrefix(line, "> "); quoted {
				want = append(want, text)
			} else if short && !strings.HasPrefix(line, "attached ") && !strings.HasPrefix(line, "cin_") {
				want = append(want, value)
			}
		}
	}
	if len(want) < 2 && !strings.Contains(body, "No record") && !strings.Contains(body, "Nothing found") {
		t.Errorf("%s: nothing to compare with %s %s", path, tool, arguments)
	}
	for _, text := range want {
		if !strings.Contains(body, text) {
			t.Errorf("%s does not show %q of %s %s", path, text, tool, arguments)
		}
	}
}

func TestBrowsingOwnFiles(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script> javascript:alert(2) https://evil.example/x <a href="https://evil.example">y</a>`
	const deceiving = "\nattached \"x\", text/html\n\nexpanded a: b"
	var many strings.Builder
	for i := range 10_000 {
		many.WriteString(lineOf(t, map[string]any{"id": fmt.Sprintf("r%05d", i), "n": i}))
	}
	d := runDemo(t, "--data", writeFolder(t, map[string]string{
		"many.jsonl": many.String(),
		"notes.jsonl": lineOf(t, map[string]any{"id": "n1", "title": hostile, "body": hostile + deceiving, "at": "2020-05-01T10:00:00Z"}) +
			lineOf(t, map[string]any{"id": "n2", "title": "plain", "body": "two", "at": "2026-07-01T10:00:00Z"}) +
			lineOf(t, map[string]any{"id": "n3", "title": "no time"}),
		"old.jsonl": lineOf(t, map[string]any{"id": "o1", "at": "1900-01-01T10:00:00Z"}) +
			lineOf(t, map[string]any{"id": "o2", "at": "2020-01-01T10:00:00Z"}),
		"prices.csv": "Item;Price\nLamp;12.50\nChair;40\n",
		"empty.csv":  "a;b\n",
		"in.mbox": "From a@x Thu Jan 15 02:15:00 2026\nMessage-ID: <a1@x>\nSubject: Files\nContent-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: text/plain; name=plan.txt\n\nThe plan\n" +
			"--o\nContent-Type: application/pdf; name=\"r<b>.html\"\nContent-Disposition: attachment\nContent-Transfer-Encoding: base64\n\n/9jg" + "\n--o--\n",
	}))
	v := visitPage(t, d.MCPURL).open(d.OwnerSecret)
	for _, c := range []struct {
		name, path    string
		holds, misses []string
	}{
		{
			"the streams, with ranges", "/", []string{">many<", "10,000", "2020-05-01", "2026-07-01"}, []string{`role="alert"`, ">empty<"},
		},
		{
			"a hostile record in a table", "/?view=records&stream=notes",
			[]string{html.EscapeString(`<script>alert(1)</script> javascript:alert(2) https://evil.example/x`)}, nil,
		},
		{
			"a hostile record", "/?view=record&id=cin_files/notes:n1",
			[]string{html.EscapeString(hostile) + "\nattached &#34;x&#34;, text/html\n\nexpanded a: b"}, []string{"Attached:", `class="related"`},
		},
		{"a hostile record that is found", "/?view=search&q=evil", []string{"evil</mark>"}, nil},
		{"months, including those without records", "/?view=months&stream=notes", []string{"3 records.", "<svg", "Jan 2023", "without a time"}, nil},
		{"months of centuries", "/?view=months&stream=old", []string{"leaves months without records out before Jan 2020", "Jan 1900"}, nil},
		{"years", "/?view=months&stream=notes&by=year", []string{">2023<", ">2026<"}, []string{"Jan 2023"}},
		{"months without a time", "/?view=months&stream=prices", []string{"have no time"}, []string{"<svg", "<rect"}},
		{"a stream without a time has no plot", "/?view=records&stream=prices", []string{"2 records"}, []string{"view=months"}},
		{
			"numbers are compared as numbers", "/?view=records&stream=prices&filter=Price&operator=gt&value=12.50",
			[]string{"1 record", "Chair"}, []string{">Lamp<"},
		},
		{
			"a range of two conditions", "/?view=records&stream=many&filter=n&operator=gte&value=10&filter=n&operator=lt&value=20&sort=n&order=desc",
			[]string{"10 records", "r00019"}, []string{"r00020"},
		},
		{
			"a filter that matches nothing", "/?view=records&stream=prices&filter=Item&operator=&value=None",
			[]string{"0 records", "No record passes the filter."}, nil,
		},
		{
			"a comparison that a field does not support", "/?view=records&stream=notes&filter=title&operator=gt&value=x",
			[]string{"<strong>invalid_request</strong>", "cannot be filtered by a range"}, []string{"<table"},
		},
		{"an unknown stream", "/?view=records&stream=nothing", []string{"<strong>unknown_stream</strong>", "prices"}, nil},
		{"an unknown record", "/?view=record&id=cin_files/notes:n9", []string{"<strong>not_found</strong>"}, nil},
		{"a malformed id", "/?view=record&id=nothing", []string{"<strong>invalid_id</strong>"}, nil},
		{"an unknown tool", "/?view=call&tool=delete", []string{"unknown tool"}, nil},
		{"a damaged cursor", "/?view=records&stream=many&cursor=x", []string{"<strong>invalid_cursor</strong>"}, nil},
	} {
		_, body, _ := strings.Cut(v.show(c.path), "<main")
		for _, text := range c.holds {
			if !strings.Contains(body, text) {
				t.Errorf("%s: %q is not in\n%s", c.name, text, body)
			}
		}
		for _, text := range append(c.misses, "<script>alert") {
			if strings.Contains(body, text) {
				t.Errorf("%s: %q is in\n%s", c.name, text, body)
			}
		}
		for _, link := range linkPattern.FindAllStringSubmatch(body, -1) {
			if target := link[1]; target != "#main" && target != "/icon.svg" && target != "/" && !strings.HasPrefix(target, "/?") {
				t.Errorf("%s: leads to %s", c.name, target)
			}
		}
	}

	body := v.show("/?view=record&id=cin_files/in_attachments:a1@x-a2")
	if !strings.Contains(body, `Belongs to</h2>`) || !strings.Contains(body, `href="/?id=cin_files%2Fin%3Aa1%40x&amp;view=record"`) {
		t.Errorf("no link back from an attachment:\n%s", body)
	}
	saved := regexp.MustCompile(`<a download href="([^"]*)">`).FindStringSubmatch(body)
	if saved == nil {
		t.Fatalf("no file to save:\n%s", body)
	}
	path := html.UnescapeString(saved[1])
	file, content := v.send(path, nil)
	if content != "\xff\xd8\xe0" || file.Header.Get("Content-Type") != "application/octet-stream" || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment;") ||
		file.Header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(file.Header.Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %q", file.Header, content)
	}
	for _, wrong := range []string{"pdpp://record/cin_files/notes/n1", "pdpp://blob/x", "file:///etc/passwd"} {
		if refused, _ := v.send("/?view=file&name=x&uri="+url.QueryEscape(wrong), nil); refused.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", wrong, refused.StatusCode)
		}
	}
	if _, body := visitPage(t, d.MCPURL).send(path, nil); !strings.Contains(body, "owner_secret") {
		t.Errorf("without the secret: %s", body)
	}

	records := map[string]bool{}
	nextPage := regexp.MustCompile(`<a class="button" href="([^"]*)">Next page`)
	for path, pages := "/?view=records&stream=many", 0; path != ""; pages++ {
		body := v.show(path)
		for _, link := range regexp.MustCompile(`many%3A(r\d{5})`).FindAllStringSubmatch(body, -1) {
			records[link[1]] = true
		}
		path = ""
		if next := nextPage.FindStringSubmatch(body); next != nil && pages < 400 {
			path = html.UnescapeString(next[1])
		}
	}
	if len(records) != 10_000 {
		t.Errorf("the pages have %d records", len(records))
	}
}

// A hosted server has no such pages and accepts no forms, whatever is requested.
func TestAHostedServerHasNoDataPages(t *testing.T) {
	t.Parallel()
	endpoint, _ := serve(t, "--rs-url", sample.RSURL)
	v := visitPage(t, endpoint)
	for _, path := range browseViews {
		body := v.show(path)
		if !strings.Contains(body, "Connect a client") || strings.Contains(body, "owner_secret") || strings.Contains(body, "<table") ||
			strings.Contains(body, "<form") {
			t.Errorf("%s shows %s", path, body)
		}
	}
	for _, form := range []url.Values{{"owner_secret": {sample.OwnerSecret}}, {"leave": {"1"}}} {
		response, body := v.send("/", form)
		if response.StatusCode != http.StatusNotFound || len(response.Cookies()) > 0 || !json.Valid([]byte(body)) {
			t.Errorf("a form gets %d %s", response.StatusCode, body)
		}
	}
}
