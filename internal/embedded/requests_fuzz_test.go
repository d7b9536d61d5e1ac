package embedded

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// For any path, query and bearer: the answer is JSON and not an internal error, an error has a code and a message, and a caller without a
// token gets no data.
func FuzzRequest(f *testing.F) {
	for _, seed := range [][2]string{
		{"schema", "view=compact"}, {"streams", ""}, {"streams/messages/records", "limit=2&sort=-received_at&filter[size_bytes][gte]=1&fields=id"}, {"streams/messages/records", "cursor=abc"},
		{"streams/messages/records/m-1", "expand=attachments"}, {"streams/messages/aggregate", "metric=count&group_by=from_email"}, {"search", "q=a&limit=1"}, {"search/semantic", "q=a"},
		{"blobs/x", ""}, {"streams/messages/records/m-1/field-window", "field=subject&start=-1"}, {"streams//records", "limit=1e9"}, {"streams/messages/changes", "changes_since=x"},
		{"streams/messages/records", "filter[a][b][c]=1&filter=x&limit=&limit=2"}, {"search", "q=%22%22%28&streams=messages&filter[received_at][lt]=2026"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, path, query string) {
		if len(path)+len(query) > 1<<12 {
			return
		}
		rig := newRig(t)
		for _, token := range []string{"", testTokens.Client, testTokens.Narrow} {
			request := httptest.NewRequest(http.MethodGet, testOrigin+"/v1/", nil)
			request.URL = &url.URL{Path: "/v1/" + path, RawQuery: query}
			if token != "" {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			recorder := httptest.NewRecorder()
			rig.server.ServeHTTP(recorder, request)
			body := recorder.Body.Bytes()
			isBlob := recorder.Code == http.StatusOK && strings.HasPrefix(path, "blobs/")
			if recorder.Code >= 500 || !isBlob && !json.Valid(body) {
				t.Fatalf("%q ? %q: %d %s", path, query, recorder.Code, body)
			}
			if token == "" && recorder.Code < 400 {
				t.Errorf("%q ? %q is open to all: %s", path, query, body)
			}
			if recorder.Code < 400 {
				continue
			}
			var refusal struct {
				Error struct {
					Code    string `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			if json.Unmarshal(body, &refusal) != nil || refusal.Error.Code == "" || refusal.Error.Message == "" {
				t.Errorf("%q ? %q: %d %s", path, query, recorder.Code, body)
			}
		}
	})
}

// A cursor of this server decodes to its content; a cursor changed in any byte, or any other text, is refused.
func FuzzCursor(f *testing.F) {
	f.Add("records", int64(7), int64(9), uint16(3), byte(1), "abc")
	f.Add("", int64(-1), int64(0), uint16(0), byte(0x80), "")
	store, err := testStore()
	if err != nil {
		f.Fatal(err)
	}
	c := &call{catalog: store.Catalog()}
	f.Fuzz(func(t *testing.T, kind string, after, until int64, at uint16, change byte, text string) {
		position := cursor{Kind: strings.ToValidUTF8(kind, ""), Bound: "b", After: after, Until: until}
		sealed := c.sealCursor(position)
		if got, ok := c.openCursor(sealed); !ok || got != position {
			t.Errorf("%+v is opened as %+v, %v", position, got, ok)
		}
		if _, ok := c.openCursor(text); ok && text != sealed {
			t.Errorf("%q was opened", text)
		}
		raw, err := base64.RawURLEncoding.DecodeString(sealed)
		if err != nil {
			t.Fatal(err)
		}
		if change == 0 {
			return
		}
		raw[int(at)%len(raw)] ^= change
		if got, ok := c.openCursor(base64.RawURLEncoding.EncodeToString(raw)); ok {
			t.Errorf("changed in byte %d it is opened as %+v", int(at)%len(raw), got)
		}
	})
}
