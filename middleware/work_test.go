package middleware_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// wide returns the schema of a mailbox, one stream of which has the given number of fields.
func wide(fields int) string {
	var all strings.Builder
	for i := range fields {
		fmt.Fprintf(&all, `"patient_measurement_value_of_column_%d":"t=string,eq,lex",`, i)
	}
	return `{"detail":"compact","connectors":[{"connector_key":"files","granted_connections":[{"connection_id":"cin_f","display_name":"Files"},` +
		`{"connection_id":"cin_g","display_name":"Mail"}],"streams":[{"name":"Outlook","field_capabilities":{"subject":"t=text,eq,lex","mailbox":"t=array,eq"}},` +
		`{"name":"messages","field_capabilities":{` + all.String() + `"subject":"t=text,eq,lex","total":"t=number,eq,r=gte|lte,a=sum",` +
		`"sent_at":"t=timestamp,role=event-time,eq,r=gte|lt,a=group_by_time"},"expand_capabilities":[{"name":"attachments","stream":"Outlook"}]}]}]}`
}

// allocated makes a call that the server refuses. It returns the bytes that the call allocates, the least of up to three runs, and the
// reads that the server received.
func allocated(t *testing.T, schema, arguments string) (bytes uint64, asked []string) {
	t.Helper()
	document := (&rs.Response{Body: schema}).Schema()
	name, raw, _ := strings.Cut(arguments, " ")
	for run := range 3 {
		server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
			return nil, &rs.Error{Code: "unknown_field", Status: 400, Message: "No", Quoted: true}
		}}
		call := callOf(t, name, raw)
		tool := *call.Tool
		tool.CachedSchema = func(context.Context, string, string) *rs.Schema { return document }
		tool.Schema = func(context.Context, rs.Doer, string, string) *rs.Schema { return document }
		call.Tool = &tool
		principal := auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: "grant_1"}
		ctx, serve := auth.WithPrincipal(t.Context(), principal), standard(server)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = serve(ctx, call)
		runtime.ReadMemStats(&after)
		if spent := after.TotalAlloc - before.TotalAlloc; run == 0 || spent < bytes {
			bytes = spent
		}
		if asked = server.Lines(); bytes < 1<<20 {
			break
		}
	}
	return bytes, asked
}

// The work of a refusal grows at most linearly with the length of an argument: whatever the argument repeats, twice the length takes
// about twice the memory. A name that is too long is refused without a read.
func TestTheWorkOfARefusalGrowsWithItsCall(t *testing.T) {
	const few = 3000                           // bytes
	tooMuch := func(once, twice uint64) bool { // quadratic growth has a factor of four
		return twice > 1<<20 && twice > 3*once
	}
	schema := wide(20)
	for _, arguments := range []string{
		`schema {"stream":%s}`, `search {"q":"a","streams":[%s]}`, `search {"q":"a","streams":%s}`, `query_records {"stream":%s}`,
		`query_records {"stream":"messages","connection_id":%s}`, `fetch {"id":%s}`, `fetch {"id":"cin_f/messages:1","fields":[%s]}`,
		`search {"q":%s}`, `search {"q":"a","since":%s}`, `search {"q":"a","time_zone":%s}`, `search {%s:1}`,
		`query_records {"stream":"messages","fields":[%s]}`, `query_records {"stream":"messages","fields":%s}`, `query_records {"stream":"messages","sort":%s}`,
		`query_records {"stream":"messages","filter":%s}`, `query_records {"stream":"messages","filter":{%s:"a"}}`,
		`query_records {"stream":"messages","filter":{%s:{"gte":"2026"}}}`, `query_records {"stream":"messages","filter":{"sent_at":%s}}`,
		`query_records {"stream":"messages","filter":{"subject":{%s:1}}}`, `query_records {"stream":"messages","filter":["subject",%s,"a"]}`,
		`query_records {"stream":"messages","expand":[%s]}`, `query_records {"stream":"messages","limit":%s}`,
		`aggregate {"stream":"messages","metric":"sum","field":%s}`, `aggregate {"stream":"messages","metric":"count","group_by":%s}`,
		`aggregate {"stream":"messages","metric":"count","group_by_time":"sent_at","granularity":%s}`,
	} {
		name := strings.Contains(arguments, `"stream":%s`) || strings.Contains(arguments, `"streams":`) || strings.Contains(arguments, `"connection_id":%s`)
		for _, repeated := range []string{
			"a ", "a/", "a_", `/\ `, "A", "1e", "a.", "from:a ", "x=1 and ", "(", "'", `\"`, "2026-01-01 ", "jan ", "x,", "[", "%2F", ":", "é", "-", "Outlook_", "subject ",
			"un_", "not_", "a@b.",
		} {
			sent := func(bytes int) string {
				return fmt.Sprintf(arguments, rs.EncodeJSON(strings.Repeat(repeated, bytes/len(repeated)+1)[:bytes]))
			}
			once, asked := allocated(t, schema, sent(few))
			twice, _ := allocated(t, schema, sent(2*few))
			if tooMuch(once, twice) { // a step of growth, as where a regular expression is matched in another way, is not repeated
				fourfold, _ := allocated(t, schema, sent(4*few))
				if fourfold < twice || tooMuch(twice, fourfold) {
					t.Errorf("%s of %q: %d KiB for %d bytes, %d for twice as many, %d for four times", arguments, repeated, once>>10, few, twice>>10,
						fourfold>>10)
				}
			}
			if name && repeated != "x," && len(asked) > 0 {
				t.Errorf("%s of %q was forwarded: %v", arguments, repeated, asked)
			}
		}
	}
}

// The work of a refusal grows with the number of fields of a stream, not with the product of fields and misspelt names.
func TestFewNamesOfACallAreComparedWithAllFields(t *testing.T) {
	const fields, names = 300, 10
	for _, form := range []struct{ arguments, name string }{
		{`query_records {"stream":"messages","fields":[%s]}`, `"%d patiemt mesurement vlaue"`},
		{`query_records {"stream":"messages","filter":{%s}}`, `"%d patiemt mesurement vlaue":"a"`},
		{`query_records {"stream":"messages","filter":{%s}}`, `"patiemt_measurement_value_of_column_%d":"2026-01-01"`},
		{`query_records {"stream":"messages","filter":{%s}}`, `"patiemt_measurement_value_of_column_%d":{"gte":"2026-01-01"}`},
		{`query_records {"stream":"messages","filter":{%s}}`, `"attachmnts.value_%d":"a"`},
		{`search {"q":"a","streams":["messages"],"filter":{%s}}`, `"%d patiemt mesurement vlaue":"a"`},
	} {
		sent := func(names int) string {
			all := make([]string, names)
			for i := range all {
				all[i] = fmt.Sprintf(form.name, i)
			}
			return fmt.Sprintf(form.arguments, strings.Join(all, ","))
		}
		once, _ := allocated(t, wide(fields), sent(names))
		several, _ := allocated(t, wide(fields), sent(4*names))
		twice, _ := allocated(t, wide(2*fields), sent(names))
		both, _ := allocated(t, wide(2*fields), sent(4*names))
		product := int64(both+once) - int64(several+twice) // what both together cost beyond the cost of each: thrice the part that is a product
		if several > 5*once || twice > 3*once || product > int64(once) {
			t.Errorf("%s of %s: %d KiB; %d for four times the names, %d for twice the fields, %d for both", form.arguments, form.name,
				once>>10, several>>10, twice>>10, both>>10)
		}
	}
}
