package render

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A record has so many fields that its empty ones are only named. Each is in the text, or among the omitted fields with the call that reads
// them, or counted there.
func TestEveryEmptyFieldIsNamedOrRead(t *testing.T) {
	for _, fields := range []int{40, 90, 4000} {
		var data object
		for i := range 60 {
			data = append(data, write.Pair(fmt.Sprintf("text_%d", i), write.JSON(strings.Repeat("x", 190))))
		}
		for i := range fields {
			data = append(data, write.Pair(fmt.Sprintf("without_value_%d", i), []string{"null", `""`, "[]", "{}"}[i%4]))
		}
		r, err := Document(&rs.Response{Body: `{"id":"r","stream":"s","data":` + data.JSON() + `}`}, DocumentQuery{Ref: rs.Ref{Stream: "s", RecordID: "r"}})
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Text     string
			Metadata struct {
				Complete      bool
				OmittedFields []string `json:"omitted_fields"`
				MoreFields    int      `json:"more_fields"`
			}
		}
		if err := json.Unmarshal([]byte(r.Structured), &document); err != nil {
			t.Fatal(err)
		}
		m, unsaid := document.Metadata, 0
		words := strings.FieldsFunc(document.Text, func(c rune) bool { return strings.ContainsRune(" ,:\n", c) })
		for _, field := range data {
			if !slices.Contains(words, field.Name) && !slices.Contains(m.OmittedFields, field.Name) {
				unsaid++
			}
		}
		if unsaid != m.MoreFields || strings.Contains(document.Text, "…") || m.Complete != (r.Cuts == 0) {
			t.Errorf("of %d empty fields, %d are neither in the text nor in omitted_fields, and more_fields is %d: %s", fields, unsaid, m.MoreFields, document.Text[max(0, len(document.Text)-600):])
		}
	}
}

// Relations that a document does not show are named or counted, with where the others are.
func TestRelationsThatAreLeftOutAreNamedOrCounted(t *testing.T) {
	var names, expanded []string
	for i := range 90 {
		names = append(names, fmt.Sprintf("relation_%d", i))
		expanded = append(expanded, fmt.Sprintf(`"relation_%d":[{"id":"1","stream":"t","data":{"text":%q}}]`, i, strings.Repeat("y", 900)))
	}
	document := func(more string, q DocumentQuery) string {
		q.Ref = rs.Ref{Stream: "s", RecordID: "r"}
		r, err := Document(&rs.Response{Body: `{"id":"r","stream":"s","data":{"x":1}` + more + `}`}, q)
		if err != nil {
			t.Fatal(err)
		}
		return rs.AsObject(r.Text).Text("text")
	}
	text := document(`,"expanded":{`+strings.Join(expanded, ",")+`}`, DocumentQuery{})
	_, left, _ := strings.Cut(text, "\n[left out, fetch with each alone in expand: ")
	shown, named, others := strings.Count(text, "\nexpanded relation_"), strings.Count(left, "relation_"), 0
	if _, err := fmt.Sscanf(left[strings.LastIndex(left, "and "):], "and %d more]", &others); err != nil || shown+named+others != len(names) {
		t.Errorf("%d are shown, %d named, %d counted, %v: %s", shown, named, others, err, left)
	}
	for n, want := range map[int]string{
		3: `"expand":["relation_0","relation_1","relation_2"]}]`, 5: `"expand":["relation_0","relation_1","relation_2"]}; 2 more in schema {"stream":"s"}]`,
	} {
		if text := document("", DocumentQuery{Relations: names[:n]}); !strings.HasSuffix(text, want) {
			t.Errorf("%d relations: want %s in %s", n, want, text)
		}
	}
}

// A related record that does not fit into its line says so.
func TestARelatedRecordThatIsCutSaysSo(t *testing.T) {
	for fields, cut := range map[int]bool{2: false, 12: true} {
		var data object
		for i := range fields {
			data = append(data, write.Pair(fmt.Sprintf("text_%d", i), write.JSON(strings.Repeat("x", 400))))
		}
		body := `{"data":[{"id":"1","stream":"s","connection_id":"c","data":{"x":1},"expanded":{"parts":{"data":[` +
			`{"id":"p1","stream":"parts","connection_id":"c","data":` + data.JSON() + `}]}}},{"id":"2","stream":"s","connection_id":"c","data":{"x":2}}]}`
		r, err := Records(&rs.Response{Body: body}, RecordsQuery{Stream: "s"})
		row := regexp.MustCompile(`(?m)^  parts: p1 .*$`).FindString(r.Text)
		if err != nil || row == "" || strings.HasSuffix(row, " [cut; fetch has all of it]") != cut || clean.LongerThan(row, write.LineChars) {
			t.Errorf("%d fields, %v: %s in\n%s", fields, err, row, r.Text)
		}
	}
}
