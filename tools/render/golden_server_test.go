package render_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A scriptedServer is the resource server of a golden case; the real client reads from it.
type scriptedServer struct{ answers map[string]scriptedAnswer } // by path; "" is any other path

// A scriptedAnswer is the part rs.json of a case: a body that is sent unchanged, except for these short forms:
//
//	{"$status":429,"$headers":{"Retry-After":"30"},"$body":…}   an answer that is not JSON with status 200;
//	                                                            a $body that is a string is sent as its text
//	{"$repeat":3,"text":"word {n} ","before":"","after":""}     a string: before, then text three times, then after
//	{"a":1,"$repeat":3,"members":{"field_{n}":…}}               an object with the members three times, after a
//	[{"$repeat":3,"item":…}]                                    in an array, the item three times
//
// {n} is the number of the repetition, counted from 0 or from the member "from". Inner forms are expanded first. An answer with
// "$pages":true is a list that the server sends in pages, by limit and cursor.
type scriptedAnswer struct {
	status int
	header http.Header
	body   []byte
	pages  bool
}

// RoundTrip answers a read.
func (s *scriptedServer) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, ok := s.answers[request.URL.Path]
	if !ok {
		answer = s.answers[""]
	}
	body := answer.body
	if answer.pages {
		body = pageOf(body, request)
	}
	return &http.Response{
		StatusCode: answer.status, Header: answer.header.Clone(), Request: request,
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)),
	}, nil
}

// pageOf returns the part of a list that a request asks for.
func pageOf(body []byte, request *http.Request) []byte {
	const defaultLimit = 25
	list := rs.AsObject(string(body))
	items := list.Array("data")
	limit, err := strconv.Atoi(request.URL.Query().Get("limit"))
	if err != nil {
		limit = defaultLimit
	}
	start, _ := strconv.Atoi(strings.TrimPrefix(request.URL.Query().Get("cursor"), "after-"))
	start = min(start, len(items))
	end := min(start+limit, len(items))
	list = list.With("data", rs.JoinArray(items[start:end])).With("has_more", rs.EncodeJSON(end < len(items)))
	if end < len(items) {
		list = list.With("next_cursor", rs.EncodeJSON(fmt.Sprintf("after-%d", end)))
	}
	return []byte(list.JSON())
}

func readAnswer(t *testing.T, part []byte) scriptedAnswer {
	t.Helper()
	answer := scriptedAnswer{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}, body: bytes.TrimSuffix(part, []byte("\n"))}
	if !bytes.Contains(part, []byte(`"$`)) {
		return answer
	}
	raw, err := expand(bytes.TrimSpace(part))
	if err != nil {
		t.Fatalf("rs.json: %v", err)
	}
	o := rs.AsObject(string(raw))
	if answer.pages = o.Flag("$pages"); answer.pages {
		o = o.Without("$pages")
		raw = json.RawMessage(o.JSON())
	}
	answer.body = raw
	if o.Has("$body") {
		answer.body = []byte(o.Get("$body"))
		if text, ok := rs.AsText(string(answer.body)); ok && answer.body[0] == '"' {
			answer.body = []byte(text)
		}
		if status, ok := o.Number("$status"); ok {
			answer.status = status
		}
		for _, m := range o.Object("$headers") {
			value, _ := rs.AsText(m.Value)
			answer.header.Set(m.Name, value)
		}
	}
	return answer
}

// expand expands the repetitions in a JSON value. The rest keeps its bytes, including escapes.
func expand(raw json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(raw, []byte(`"$repeat"`)) {
		return raw, nil
	}
	if items, ok := rs.AsArray(string(raw)); ok {
		var out []string
		for _, item := range items {
			if o := rs.AsObject(item); o.Has("$repeat") && o.Has("item") {
				repeated, err := repetitions(o, "item")
				if err != nil {
					return nil, err
				}
				out = append(out, repeated...)
				continue
			}
			expanded, err := expand(json.RawMessage(item))
			if err != nil {
				return nil, err
			}
			out = append(out, string(expanded))
		}
		return json.RawMessage(rs.JoinArray(out)), nil
	}
	o := rs.AsObject(string(raw))
	if o == nil {
		return raw, nil
	}
	if !o.Has("$repeat") {
		out := make(rs.Object, 0, len(o))
		for _, m := range o {
			value, err := expand(json.RawMessage(m.Value))
			if err != nil {
				return nil, err
			}
			out = append(out, rs.Member{Name: m.Name, Value: string(value)})
		}
		return json.RawMessage(out.JSON()), nil
	}
	switch {
	case o.Has("text"):
		return repeatText(o)
	case o.Has("members"):
		return repeatMembers(o)
	}
	return nil, fmt.Errorf("$repeat needs text, members, or in an array item: %.80s", raw)
}

// repetitions returns the expanded part of a repetition once for each number.
func repetitions(o rs.Object, part string) ([]string, error) {
	count, ok := o.Number("$repeat")
	if !ok || count < 0 || count > 1_000_000 {
		return nil, fmt.Errorf("$repeat cannot be %s", o.Get("$repeat"))
	}
	from, _ := o.Number("from")
	expanded, err := expand(json.RawMessage(o.Get(part)))
	if err != nil {
		return nil, err
	}
	all := make([]string, count)
	for n := range all {
		all[n] = strings.ReplaceAll(string(expanded), "{n}", strconv.Itoa(from+n))
	}
	return all, nil
}

// repeatMembers appends the repeated members to the others.
func repeatMembers(o rs.Object) (json.RawMessage, error) {
	objects, err := repetitions(o, "members")
	out, others := rs.Object{}, o.Without("$repeat", "from", "members")
	for _, m := range others {
		value, err := expand(json.RawMessage(m.Value))
		if err != nil {
			return nil, err
		}
		out = append(out, rs.Member{Name: m.Name, Value: string(value)})
	}
	for _, object := range objects {
		out = append(out, rs.AsObject(object)...)
	}
	return json.RawMessage(out.JSON()), err
}

// repeatText joins the texts between the quotes without decoding them, so that escapes stay unchanged, including those of half a
// surrogate pair.
func repeatText(o rs.Object) (json.RawMessage, error) {
	texts, err := repetitions(o, "text")
	if err != nil {
		return nil, err
	}
	inside := func(literal string) string {
		return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(literal), `"`), `"`)
	}
	var b strings.Builder
	b.WriteString(`"` + inside(o.Get("before")))
	for _, text := range texts {
		b.WriteString(inside(text))
	}
	b.WriteString(inside(o.Get("after")) + `"`)
	return json.RawMessage(b.String()), nil
}
