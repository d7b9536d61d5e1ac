package tools_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
)

// A list that names one group very often is that of one group, of which one number is read.
func TestAGroupThatIsNamedTwiceIsReadOnce(t *testing.T) {
	groups := strings.Repeat(`{"key":"a","count":1},`, 1000) + `{"key":"b","count":1}`
	server := &middlewaretest.RS{Answers: map[string]string{
		"/v1/streams/spent/aggregate": `{"object":"aggregate","metric":"sum","value":1,"filtered_record_count":9,"groups":[` + groups + `]}`,
	}}
	use(t, toolNamed(t, "aggregate"), server, json.RawMessage(`{"stream":"spent","metric":"sum","field":"amount","group_by":"payee"}`))
	if reads := len(server.Requests()); reads > 10 {
		t.Errorf("%d reads", reads)
	}
}

// Numbers with very many digits, or a very large exponent, are shown as they are: no arithmetic is done with them.
func TestVeryLongNumbersAreNotComputedWith(t *testing.T) {
	groups := make([]string, 40)
	for i := range groups {
		groups[i] = fmt.Sprintf(`{"key":"k%d","count":1}`, i)
	}
	for name, value := range map[string]string{"digits": strings.Repeat("7", 50_000), "exponent": "1e999999", "negative exponent": "1e-999999"} {
		server := &middlewaretest.RS{Answers: map[string]string{
			"/v1/streams/spent/aggregate": `{"object":"aggregate","metric":"sum","value":` + value + `,"filtered_record_count":40,"groups":[` + strings.Join(groups, ",") + `]}`,
		}}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		use(t, toolNamed(t, "aggregate"), server, json.RawMessage(`{"stream":"spent","metric":"sum","field":"amount","group_by":"payee"}`))
		runtime.ReadMemStats(&after)
		if spent := (after.TotalAlloc - before.TotalAlloc) >> 20; spent > 60 {
			t.Errorf("%s: %d MiB", name, spent)
		}
	}
}
