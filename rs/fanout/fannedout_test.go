package fanout_test

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

func TestPackageTellsItsFanOuts(t *testing.T) {
	good := says(`{"object":"list","data":[]}`)
	for name, row := range map[string]struct {
		answers map[string]memberAnswer
		request rs.Request
		want    [][2]int
	}{
		"all answer":            {map[string]memberAnswer{"tok_a": good, "tok_b": good}, rs.Request{Path: rs.Path("streams")}, [][2]int{{2, 2}}},
		"one fails":             {map[string]memberAnswer{"tok_a": good, "tok_b": fails(500, "broken")}, rs.Request{Path: rs.Path("streams")}, [][2]int{{2, 1}}},
		"all fail":              {map[string]memberAnswer{"tok_a": fails(500, "broken"), "tok_b": fails(500, "broken")}, rs.Request{Path: rs.Path("streams")}, [][2]int{{2, 0}}},
		"a read of one is none": {map[string]memberAnswer{"tok_a": good, "tok_b": good}, rs.Request{Path: rs.Path("streams", "messages", "records"), Query: url.Values{"connection_id": {"cin_a"}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var notified [][2]int
			f := &packageRS{answers: row.answers}
			p := packageOf(
				f,
				fanout.PackageOptions{FannedOut: func(asked, answered int) { notified = append(notified, [2]int{asked, answered}) }},
				aMember("a", "messages"),
				aMember("b", "messages"),
			)
			response, err := p.Do(t.Context(), row.request)
			if err == nil && len(row.want) > 0 && response.Unavailable != row.want[0][0]-row.want[0][1] {
				t.Errorf("the answer counts %d connections as unavailable: %s", response.Unavailable, response.Body)
			}
			if diff := cmp.Diff(row.want, notified); diff != "" {
				t.Error(diff)
			}
		})
	}
}
