package main

import (
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// slowness is how long the stub thinks about a read with a token that begins with "slow-": what a resource server that is
// close takes.
const slowness = 20 * time.Millisecond

// maxMembers is how many children a package of the stub may have.
const maxMembers = 64

// A stub is a resource server with its token authority and its directory of packages. It knows a few bodies by heart and
// any token that begins as one of those below.
//
//	client-…         a client's
//	package-N        a package's of N children
//	member-N         one child's
//	slow-package-N, slow-member-N   the same at a resource server that takes its time
type stub struct {
	schema, largeSchema   string
	records, largeRecords listing
	search, largeSearch   listing
	members               []listing // what a search finds in each child's connection
	tools                 func() (string, error)
}

// newStub makes the bodies. toolsFile is where the answer to tools/list will be, by the time it is asked for.
func newStub(toolsFile string) *stub {
	s := &stub{
		schema:       schema("cin_mail", "declared", schemaBytes),
		largeSchema:  schema("cin_archive", "t=string,role=event-time,eq,r=gte|gt|lte|lt,lex,sem,a=group_by_time|max|min", largeSchemaBytes),
		records:      newListing(usualItems, func(i int) string { return record(i, recordBytes) }),
		largeRecords: newListing(largeItems, func(i int) string { return record(i, largeRecordBytes) }),
		search:       newListing(usualItems, func(i int) string { return hit(i, "cin_mail") }),
		largeSearch:  newListing(largeItems, func(i int) string { return hit(i, "cin_mail") }),
		tools: sync.OnceValues(func() (string, error) {
			text, err := os.ReadFile(toolsFile) // #nosec G304 -- this program's own
			return string(text), err
		}),
	}
	for member := range maxMembers {
		s.members = append(s.members, newListing(usualItems, func(i int) string { return hit(i, connectionOf(member)) }))
	}
	return s
}

func connectionOf(member int) string { return fmt.Sprintf("cin_member_%02d", member) }

// ServeHTTP answers a read, or a question about a token.
func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, slow := strings.CutPrefix(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "slow-")
	if slow {
		time.Sleep(slowness)
	}
	query := r.URL.Query()
	switch r.URL.Path {
	case "/v1/schema":
		if query.Get("connection_id") == "cin_archive" {
			serveJSON(w, s.largeSchema)
			return
		}
		serveJSON(w, s.schema)
	case "/v1/streams/messages/records":
		s.records.serve(w, query.Get("limit"))
	case "/v1/streams/letters/records":
		s.largeRecords.serve(w, query.Get("limit"))
	case "/v1/search":
		if member, isMember := numbered(token, "member-"); isMember {
			s.members[member].serve(w, query.Get("limit"))
			return
		}
		if query.Get("q") == "everything" {
			s.largeSearch.serve(w, query.Get("limit"))
			return
		}
		s.search.serve(w, query.Get("limit"))
	case toolsPath:
		text, err := s.tools()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		serveJSON(w, text)
	case "/introspect":
		introspect(w, r.PostFormValue("token"))
	case "/packages":
		members(w, r.PostFormValue("token"))
	default:
		w.WriteHeader(http.StatusNotFound)
		serveJSON(w, `{"error":{"code":"not_found","message":"No such route.","type":"not_found_error"}}`)
	}
}

// numbered reads the number after a prefix. It reports false for anything else.
func numbered(token, prefix string) (int, bool) {
	digits, found := strings.CutPrefix(token, prefix)
	n, err := strconv.Atoi(digits)
	return n, found && err == nil && n >= 0 && n <= maxMembers
}

// introspect is RFC 7662.
func introspect(w http.ResponseWriter, token string) {
	const rest = `"subject_id":"s1","client_id":"load","aud":"load","iss":"load"}`
	kind := strings.TrimPrefix(token, "slow-")
	switch {
	case strings.HasPrefix(kind, "client-"), strings.HasPrefix(kind, "member-"):
		serveJSON(w, fmt.Sprintf(`{"active":true,"pdpp_token_kind":"client","grant_id":"grant-%s",`, token)+rest)
	case strings.HasPrefix(kind, "package-"):
		serveJSON(w, fmt.Sprintf(`{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":%q,`, token)+rest)
	default:
		serveJSON(w, `{"active":false}`)
	}
}

// members is the directory of packages.
func members(w http.ResponseWriter, token string) {
	prefix := ""
	kind, slow := strings.CutPrefix(token, "slow-")
	if slow {
		prefix = "slow-"
	}
	n, found := numbered(kind, "package-")
	if !found {
		serveJSON(w, `{"status":"revoked","members":[]}`)
		return
	}
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf(`{"grant_id":"grant-%[1]smember-%[2]d","connection_id":%[3]q,"connector_key":"mail","display_name":"Mail %[2]d","streams":["messages","bodies"],"access_token":"%[1]smember-%[2]d","usable":true}`,
			prefix, i, connectionOf(i)))
	}
	serveJSON(w, fmt.Sprintf(`{"package_id":%q,"status":"active","members":[%s]}`, token, strings.Join(rows, ",")))
}
