package rsclient_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestErrorEnvelopes(t *testing.T) {
	const plain409 = "The resource server answered 409 (Conflict)."
	ambiguous := `{"code":"ambiguous_connection","message":"Two sources hold this record.","type":"invalid_request_error",` +
		`"available_connections":[{"connection_id":"cin_a","display_name":"A"},{"connection_id":"cin_b","display_name":"B","connector_key":"gmail","grant_id":"grt_1"}],` +
		`"retry_with":{"field":"connection_id","guidance":"Pick one."},"request_id":"req_9"}`
	for name, row := range map[string]struct {
		status   int
		body     string
		response []string // headers
		want     rs.Error
	}{
		"S3-R3 a PDPP error keeps its code, sentence, parameter and envelope": {
			status: 403, body: `{"error":{"code":"grant_revoked","message":"The grant was revoked.","type":"permission_error","param":"grant","request_id":"req_1"}}`,
			want: rs.Error{Code: "grant_revoked", Status: 403, Message: "The grant was revoked.", Quoted: true, Param: "grant", RequestID: "req_1",
				Envelope: json.RawMessage(`{"code":"grant_revoked","message":"The grant was revoked.","type":"permission_error","param":"grant","request_id":"req_1"}`)},
		},
		"S3-19c ambiguity keeps its choices, and what to retry with": {
			status: 409, body: `{"error":` + ambiguous + `}`,
			want: rs.Error{Code: "ambiguous_connection", Status: 409, Message: "Two sources hold this record.", Quoted: true, RequestID: "req_9", RetryWith: "connection_id",
				Connections:     []rs.Connection{{ID: "cin_a", DisplayName: "A"}, {ID: "cin_b", DisplayName: "B", ConnectorKey: "gmail", GrantID: "grt_1"}},
				ConnectionTotal: 2, Envelope: json.RawMessage(ambiguous)},
		},
		"retry_with may be a plain string": {
			status: 409, body: `{"error":{"code":"c","message":"m","retry_with":"connection_id"}}`,
			want: rs.Error{Code: "c", Status: 409, Message: "m", Quoted: true, RetryWith: "connection_id", Envelope: json.RawMessage(`{"code":"c","message":"m","retry_with":"connection_id"}`)},
		},
		"a code with dots is a code": {
			status: 401, body: `{"error":{"code":"context.stream_not_allowed","message":"Not granted."}}`,
			want: rs.Error{Code: "context.stream_not_allowed", Status: 401, Message: "Not granted.", Quoted: true, Envelope: json.RawMessage(`{"code":"context.stream_not_allowed","message":"Not granted."}`)},
		},
		"an error without a code of its own is an upstream error": {
			status: 500, body: `{"error":{"message":"It broke."}}`,
			want: rs.Error{Code: "upstream_error", Status: 500, Message: "It broke.", Quoted: true, Envelope: json.RawMessage(`{"message":"It broke."}`)},
		},
		"an error without a sentence gets one": {
			status: 404, body: `{"error":{"code":"not_found"}}`,
			want: rs.Error{Code: "not_found", Status: 404, Message: "The resource server answered 404 (Not Found).", Envelope: json.RawMessage(`{"code":"not_found"}`)},
		},
		"a code that would say that all is well is not a code": {
			status: 400, body: `{"error":{"code":"ok","message":"m"}}`,
			want: rs.Error{Code: "upstream_error", Status: 400, Message: "m", Quoted: true, Envelope: json.RawMessage(`{"code":"ok","message":"m"}`)},
		},
		"a code that is a sentence is not a code": {
			status: 400, body: `{"error":{"code":"You did it wrong","message":"m"}}`,
			want: rs.Error{Code: "upstream_error", Status: 400, Message: "m", Quoted: true, Envelope: json.RawMessage(`{"code":"You did it wrong","message":"m"}`)},
		},
		"a member of a wrong type costs itself and not the rest": {
			status: 409, body: `{"error":{"code":"ambiguous_connection","message":"m","available_connections":"many","param":7},"message":["x"]}`,
			want: rs.Error{Code: "ambiguous_connection", Status: 409, Message: "m", Quoted: true,
				Envelope: json.RawMessage(`{"code":"ambiguous_connection","message":"m","available_connections":"many","param":7}`)},
		},
		"OAuth's error is read": {
			status: 401, body: `{"error":"invalid_token","error_description":"The token has expired."}`,
			want: rs.Error{Code: "invalid_token", Status: 401, Message: "The token has expired.", Quoted: true},
		},
		"OAuth's error may come without a description": {
			status: 401, body: `{"error":"invalid_token"}`,
			want: rs.Error{Code: "invalid_token", Status: 401, Message: "The resource server answered 401 (Unauthorized)."},
		},
		"a framework's error is read, its reason phrase is not a code": {
			status: 401, body: `{"statusCode":401,"error":"Unauthorized","message":"Route needs a token"}`,
			want: rs.Error{Code: "upstream_error", Status: 401, Message: "Route needs a token", Quoted: true},
		},
		"a framework's reason phrase of two words is not a code": {
			status: 404, body: `{"statusCode":404,"error":"Not Found","message":"Route GET:/v1/x not found"}`,
			want: rs.Error{Code: "upstream_error", Status: 404, Message: "Route GET:/v1/x not found", Quoted: true},
		},
		"a framework's code is a code": {
			status: 413, body: `{"statusCode":413,"code":"FST_ERR_CTP_BODY_TOO_LARGE","error":"Payload Too Large","message":"Too large"}`,
			want: rs.Error{Code: "FST_ERR_CTP_BODY_TOO_LARGE", Status: 413, Message: "Too large", Quoted: true},
		},
		"a framework's list of messages does not hide the status": {
			status: 409, body: `{"statusCode":409,"error":"Conflict","message":["a","b"]}`,
			want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409},
		},
		"plain text is not repeated":       {status: 409, body: "conflict!", want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"a page of HTML is not repeated":   {status: 409, body: "<html>", want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"an empty body is no obstacle":     {status: 409, body: "", want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"an array is no obstacle":          {status: 409, body: "[]", want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"null is no obstacle":              {status: 409, body: "null", want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"an empty error is no obstacle":    {status: 409, body: `{"error":{}}`, want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"an error of null is no obstacle":  {status: 409, body: `{"error":null}`, want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409}},
		"a status without a name is shown": {status: 599, body: "", want: rs.Error{Code: "upstream_error", Status: 599, Message: "The resource server answered 599."}},
		"the request id of the header serves where the body has none": {
			status: 409, body: "", response: []string{"Request-Id", "req_h"},
			want: rs.Error{Code: "upstream_error", Status: 409, Message: plain409, RequestID: "req_h"},
		},
		"the request id of the body goes first": {
			status: 409, body: `{"error":{"code":"c","message":"m","request_id":"req_b"}}`, response: []string{"Request-Id", "req_h"},
			want: rs.Error{Code: "c", Status: 409, Message: "m", Quoted: true, RequestID: "req_b", Envelope: json.RawMessage(`{"code":"c","message":"m","request_id":"req_b"}`)},
		},
		"Retry-After comes along": {
			status: 403, body: "", response: []string{"Retry-After", "30"},
			want: rs.Error{Code: "upstream_error", Status: 403, Message: "The resource server answered 403 (Forbidden).", RetryAfter: 30 * time.Second},
		},
		"a sentence over several lines becomes one": {
			status: 400, body: `{"error":{"message":"a\n\n b\u0000c\u001b[31m"}}`,
			want: rs.Error{Code: "upstream_error", Status: 400, Message: "a bc", Quoted: true, Envelope: json.RawMessage(`{"message":"a\n\n b\u0000c\u001b[31m"}`)},
		},
		"a long sentence is cut between characters": {
			status: 400, body: `{"error":{"message":"` + strings.Repeat("é", 301) + `"}}`,
			want: rs.Error{Code: "upstream_error", Status: 400, Message: strings.Repeat("é", 300) + "…", Quoted: true, Envelope: json.RawMessage(`{"message":"` + strings.Repeat("é", 301) + `"}`)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := clientOver(t, func(*http.Request) (*http.Response, error) {
				return answer(row.status, row.body, row.response...), nil
			})
			_, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
			if diff := cmp.Diff(&row.want, rs.AsError(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// S0-8a: an error lists at most MaxConnectionOptions connections, with the total that the server reported.
func TestErrorEnvelopeListsFewConnections(t *testing.T) {
	body := `{"error":{"code":"ambiguous_connection","message":"m","total_connections":200,"available_connections":[` +
		strings.TrimSuffix(strings.Repeat(`{"connection_id":"c"},`, 50), ",") + `]}}`
	client := clientOver(t, func(*http.Request) (*http.Response, error) { return answer(409, body), nil })
	_, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
	if e := rs.AsError(err); len(e.Connections) != rs.MaxConnectionOptions || e.ConnectionTotal != 200 {
		t.Errorf("%d of %d connections", len(e.Connections), e.ConnectionTotal)
	}
}

// Any body of an error leads to a typed error whose texts are bounded and on one line.
func FuzzErrorEnvelope(f *testing.F) {
	f.Add(400, `{"error":{"code":"invalid_request","message":"m","param":"filter","retry_with":{"field":"connection_id"},"available_connections":[{"connection_id":"c"}]}}`)
	f.Add(401, `{"error":"invalid_token","error_description":"d"}`)
	f.Add(404, `{"statusCode":404,"error":"Not Found","message":"m"}`)
	f.Add(500, `null`)
	f.Add(599, "\xff")
	f.Fuzz(func(t *testing.T, status int, body string) {
		if status < 400 || status > 999 || status == 429 || status >= 502 && status <= 504 {
			status = 400
		}
		client := clientOver(t, func(*http.Request) (*http.Response, error) { return answer(status, body), nil })
		_, err := client.For(caller(secretToken)).Do(t.Context(), rs.Request{Path: "/v1/x"})
		e, ok := err.(*rs.Error) //nolint:errorlint // not wrapped, by contract
		if !ok {
			t.Fatalf("error %v of type %T", err, err)
		}
		for _, text := range []string{string(e.Code), e.Message, e.Param, e.RequestID, e.RetryWith} {
			if len(text) > 610 || !utf8.ValidString(text) ||
				strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }) {
				t.Errorf("text %q", text)
			}
		}
		if e.Code == "" || e.Message == "" || e.Status != status || len(e.Connections) > rs.MaxConnectionOptions ||
			e.ConnectionTotal < len(e.Connections) {
			t.Errorf("error %+v", e)
		}
		if e.Envelope != nil && !json.Valid(e.Envelope) {
			t.Errorf("envelope %q", e.Envelope)
		}
	})
}
