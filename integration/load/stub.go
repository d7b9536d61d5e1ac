package main

import (
	"fmt"
	"net/http"
	"strings"
)

// A stub is a resource server and its token authority. Its answers are fixed, and it accepts every token that begins with "client-".
type stub struct {
	schema, largeSchema                        string
	streams                                    []string
	records, largeRecords, search, largeSearch []string
}

func newStub() *stub {
	capability := "t=string,role=event-time,eq,r=gte|gt|lte|lt,lex,sem,a=group_by_time|max|min"
	return &stub{
		schema("cin_mail", "declared", 7), schema("cin_archive", capability, 85),
		list(usualItems, stream),
		list(usualItems, func(i int) string { return record(i, 2) }), list(largeItems, func(i int) string { return record(i, 58) }),
		list(usualItems, hit), list(largeItems, hit),
	}
}

// ServeHTTP answers a read or an introspection.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	switch {
	case r.URL.Path == "/v1/schema" && query.Get("connection_id") == "cin_archive":
		serveJSON(w, s.largeSchema)
	case r.URL.Path == "/v1/schema":
		serveJSON(w, s.schema)
	case r.URL.Path == "/v1/streams":
		serveList(w, s.streams, "")
	case r.URL.Path == "/v1/streams/messages/records":
		serveList(w, s.records, query.Get("limit"))
	case r.URL.Path == "/v1/streams/letters/records":
		serveList(w, s.largeRecords, query.Get("limit"))
	case r.URL.Path == "/v1/search" && query.Get("q") == "everything":
		serveList(w, s.largeSearch, query.Get("limit"))
	case r.URL.Path == "/v1/search":
		serveList(w, s.search, query.Get("limit"))
	case r.URL.Path == "/introspect":
		token := r.PostFormValue("token")
		serveJSON(w, fmt.Sprintf(`{"active":%t,"pdpp_token_kind":"client","grant_id":%q,"subject_id":"s1","client_id":"load","aud":"load","iss":"load"}`,
			strings.HasPrefix(token, "client-"), "grant-"+token))
	default:
		http.NotFound(w, r)
	}
}
