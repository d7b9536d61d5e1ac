package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// For any schema document: the kind that a probe reports occurs in the document, and the principal is admissible only if
// that kind is client.
func FuzzSchemaProbe(f *testing.F) {
	for _, seed := range []string{
		`{"bearer":{"token_kind":"client","grant_id":"g"}}`, `{"data":{"bearer":{"token_kind":"owner"}}}`, `{"bearer":null,"data":{"bearer":{"token_kind":"client"}}}`,
		`{"bearer":{}}`, `[]`, `{"BEARER":{"Token_Kind":"client"}}`, `{"bearer":{"token_kind":"owner","token_kind":"client"}}`, `{"bearer":"client"}`, `{"bearer":{"token_kind":["client"]}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if !json.Valid(body) {
			return // the client refuses anything else
		}
		probe := auth.SchemaProbe{For: func(rs.Token) rs.Doer {
			return probed(func(context.Context, rs.Request) (*rs.Response, error) {
				return &rs.Response{Status: 200, Body: string(body)}, nil
			})
		}}
		info, err := probe.Introspect(t.Context(), rs.NewToken("tok_secret"))
		if rs.AsError(err).Code == rs.AuthorityUnreachable && info == (auth.TokenInfo{}) {
			return // a name occurs twice or in another case
		}
		if err != nil || info.Inactive != nil {
			t.Fatalf("%+v, %v", info, err)
		}
		kind := info.Principal.Kind
		var document any
		decoder := json.NewDecoder(bytes.NewReader(body))
		decoder.UseNumber() // any number is valid JSON, whatever fits a float64
		if err := decoder.Decode(&document); err != nil {
			t.Fatal(err)
		}
		if kind != "" && !holds(document, kind) {
			t.Errorf("%s is of kind %q", body, kind)
		}
		if admitted := info.Principal.Admissible() == nil; admitted != (kind == auth.KindClient) {
			t.Errorf("%s: kind %q, admitted %v", body, kind, admitted)
		}
	})
}

// holds reports whether a text is a value anywhere in a document.
func holds(document any, text string) bool {
	switch v := document.(type) {
	case string:
		return v == text
	case []any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	case map[string]any:
		for _, item := range v {
			if holds(item, text) {
				return true
			}
		}
	}
	return false
}
