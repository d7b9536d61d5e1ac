package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A page with the replies of a thread names the record that they reply to, if it is not on the page. For other filters nothing more is
// read.
func TestRepliesNameTheirFirstMessage(t *testing.T) {
	const says = " is not among these: fetch "
	for arguments, row := range map[string]struct {
		ids, head string // of the page; head is the only other record
		reads     int
		want      string
	}{
		`{"filter":{"thread_ts":"17.0001"}}`:            {"C1:18.0001 C1:19.0002", "C1:17.0001", 2, `{"id":"c/messages:C1:17.0001"}`},
		`{"filter":{"in_reply_to":"general-17"}}`:       {"general-18", "general-17", 2, `{"id":"c/messages:general-17"}`},
		`{"filter":{"thread_ts":"17.0002"}}`:            {"C1:18.0001", "C1:17.0001", 2, ""},
		`{"filter":{"thread_ts":"17.0001","user":"a"}}`: {"C1:17.0001 C1:18.0001", "C1:17.0001", 1, ""},
		`{"filter":{"thread_id":"t0338"}}`:              {"m0720", "t0338", 1, ""},
		`{"filter":{"sent_at":"17.0001"}}`:              {"C1:18.0001", "C1:17.0001", 1, ""},
		`{"filter":{"thread_ts":"17.0001"},"limit":3}`:  {"", "C1:17.0001", 0, ""},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if !strings.HasSuffix(r.Path, "/records") {
				if strings.HasSuffix(r.Path, "/"+row.head) {
					return middlewaretest.JSON(`{"object":"record","id":"` + row.head + `","stream":"messages","connection_id":"c","data":{}}`), nil
				}
				return nil, &rs.Error{Code: "not_found", Status: 404}
			}
			var records []string
			for _, id := range strings.Fields(row.ids) {
				records = append(records, `{"id":"`+id+`","stream":"messages","connection_id":"c","data":{"text":"a"}}`)
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(records, ",") + `],"has_more":false}`), nil
		}}
		result := answerOf(t, "query_records", `{"stream":"messages",`+arguments[1:], server)
		_, call, printed := strings.Cut(result.Text, says)
		call, _, _ = strings.Cut(call, "\n")
		if printed != (row.want != "") || call != row.want || strings.Contains(result.Structured, `"thread_head"`) != printed {
			t.Errorf("%s: %s\n%s", arguments, result.Text, result.Structured)
		}
		if row.reads > 0 && len(server.Lines()) != row.reads {
			t.Errorf("%s reads %q; want %v", arguments, server.Lines(), row.reads)
		}
	}
}
