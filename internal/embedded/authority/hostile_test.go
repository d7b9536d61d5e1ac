package authority

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/page/pagetest"
)

// consentShapes returns the markup and the policies of consent pages with the text in everything that a program, the data or a parameter
// can set.
func consentShapes(t *testing.T, text string) map[string][]string {
	now := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	connectors := []model.Connector{{
		Key: text, SourceID: text, Connections: []model.Connection{{ID: text, DisplayName: text}, {ID: "other", DisplayName: text}},
		Streams: []model.Stream{{Name: text, Fields: []model.Field{{Name: text}}}},
	}}
	s := New(Options{
		Terms: Terms{OwnerSecret: "secret"}, Grants: DemoGrants(connectors, DemoTokens{}, now), Now: func() time.Time { return now },
		Connectors: func() []model.Connector { return connectors }, Origin: func(*http.Request) string { return "http://127.0.0.1:7711" },
	})
	redirect, err := url.Parse("https://a" + text + "/callback")
	if err != nil { // then the client was not registered
		redirect = &url.URL{Scheme: "https", Host: "a.example"}
	}
	cookie := strings.Repeat("0", 32)
	by := &registeredClient{ID: text, Name: text}
	asked := wholeSource(text)
	asked.PurposeDescription, asked.PurposeCode = text, text
	asked.Streams = []streamDetail{{Name: text, Fields: []string{text}, InstanceIDs: []string{text}}}
	s.requests = map[string]*request{
		"asked":  {code: "asked", client: by, details: []detail{asked}, expires: now.Add(time.Hour), exchange: text},
		"picked": {code: "picked", client: by, expires: now.Add(time.Hour), redirect: redirect, state: text},
		"over":   {code: "over", client: by, expires: now},
	}
	shapes := map[string][]string{}
	send := func(name, path string, form url.Values) {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:7711/"+path, nil)
		if form != nil {
			form.Set("_csrf", s.csrf(s.requests[form.Get("request_uri")], cookie))
			r = httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7711/"+path, strings.NewReader(form.Encode()))
			r.Header.Set("Origin", "http://127.0.0.1:7711")
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.AddCookie(&http.Cookie{Name: consentCookie, Value: cookie})
		}
		w := httptest.NewRecorder()
		s.Serve(w, r, strings.Split(r.URL.Path, "/")[1:], "req")
		shape := append(pagetest.Shape(t, w.Body.String()), strconv.Itoa(w.Code), w.Header().Get("Content-Type"))
		for directive := range strings.SplitSeq(w.Header().Get("Content-Security-Policy"), ";") {
			words := strings.Fields(directive)
			shape = append(shape, strings.Join(words[:min(len(words), 2)], " ")+" "+strconv.Itoa(len(words)))
		}
		shapes[name] = shape
	}
	for code := range s.requests {
		send("page of "+code, "consent?request_uri="+code, nil)
		send("wrong secret for "+code, "consent/approve", url.Values{"request_uri": {code}, "owner_secret": {text}, "connection": {text}})
	}
	send("nothing picked", "consent/approve", url.Values{"request_uri": {"picked"}, "owner_secret": {"secret"}, "connection": {"none"}})
	send("denied", "consent/deny", url.Values{"request_uri": {"picked"}, "x" + text: {text}})
	send("approved", "consent/approve", url.Values{"request_uri": {"asked"}, "owner_secret": {"secret"}})
	send("an unknown request", "consent?request_uri="+url.QueryEscape(text)+"&"+url.QueryEscape("x"+text)+"="+url.QueryEscape(text), nil)
	return shapes
}

// Programs, addresses, data and forms cannot add an element, an attribute, a link or a policy to a consent page: its markup is the same
// as with harmless text.
func TestNothingOfAProgramIsMarkup(t *testing.T) {
	for _, text := range pagetest.Hostile() {
		if diff := cmp.Diff(consentShapes(t, pagetest.Plain(text)), consentShapes(t, text)); diff != "" {
			t.Errorf("%q:\n%s", text, diff)
		}
	}
}
