package main

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
)

// A stub is a resource server and its token authority. Its answers are fixed, and it accepts every token that begins with "client-".
type stub struct {
	schemas map[string]string   // by connection; "": of all
	lists   map[string][]string // items by path, of which an answer has the first
}

func newStub() *stub {
	return &stub{
		map[string]string{
			"":            schema("cin_mail", "declared", 7),
			"cin_archive": schema("cin_archive", "t=string,role=event-time,eq,r=gte|gt|lte|lt,lex,sem,a=group_by_time|max|min", 85),
		},
		map[string][]string{
			"/v1/streams":                  list(usualItems, stream),
			"/v1/streams/messages/records": list(usualItems, func(i int) string { return record(i, 2) }),
			"/v1/streams/letters/records":  list(largeItems, func(i int) string { return record(i, 58) }),
			"/v1/search":                   list(largeItems, hit),
		},
	}
}

// ServeHTTP answers a read or an introspection.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	items, isList := s.lists[r.URL.Path]
	switch {
	case isList:
		serveList(w, items, query.Get("limit"))
	case r.URL.Path == "/v1/schema":
		serveJSON(w, cmp.Or(s.schemas[query.Get("connection_id")], s.schemas[""]))
	case r.URL.Path == "/introspect":
		token := r.PostFormValue("token")
		serveJSON(w, fmt.Sprintf(`{"active":%t,"pdpp_token_kind":"client","grant_id":%q,"subject_id":"s1","client_id":"load","aud":"load","iss":"load"}`,
			strings.HasPrefix(token, "client-"), "grant-"+token))
	default:
		http.NotFound(w, r)
	}
}
