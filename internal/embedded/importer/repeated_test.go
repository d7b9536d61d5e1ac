package importer

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// The id column of a table may be that of an account, so two rows with the same id are two records, and none is lost.
func TestRecordsOfARepeatedIDAreKeptApart(t *testing.T) {
	table, lines := "id,amount\n", ""
	for number := range 100 {
		table += fmt.Sprintf("%d,%d\n", number%5, number)
		lines += fmt.Sprintf("{\"id\":%d,\"amount\":%d}\n", number%5, number)
	}
	same := strings.Repeat("7,1\n", 3)
	corpus, skips := openFolder(t, writeFolder(t, map[string]string{"table.csv": table, "lines.jsonl": lines, "same.csv": "id,amount\n" + same + "7-2,1\n"}))
	if skips != nil {
		t.Errorf("skipped %v", skips)
	}
	sums, ids := map[string]int{}, map[string]map[string]bool{}
	for _, record := range collectRecords(t, corpus) {
		var row struct{ Amount int }
		if err := json.Unmarshal(record.Data, &row); err != nil {
			t.Fatal(err)
		}
		sums[record.Stream] += row.Amount
		if ids[record.Stream] == nil {
			ids[record.Stream] = map[string]bool{}
		}
		ids[record.Stream][record.ID] = true
	}
	if diff := cmp.Diff(map[string]int{"table": 4950, "lines": 4950, "same": 4}, sums); diff != "" {
		t.Errorf("sums (-want +got)\n%s", diff)
	}
	if len(ids["table"]) != 100 || len(ids["lines"]) != 100 || !ids["table"]["0-20"] {
		t.Errorf("%d and %d ids: %v", len(ids["table"]), len(ids["lines"]), ids["table"])
	}
	if diff := cmp.Diff(map[string]bool{"7": true, "7-2": true, "7-3": true, "7-2-2": true}, ids["same"]); diff != "" {
		t.Errorf("ids (-want +got)\n%s", diff)
	}
	for _, stream := range corpus.Connectors[0].Streams {
		if stream.PrimaryKey != nil {
			t.Errorf("the records of %s are named by %q, which is repeated", stream.Name, stream.PrimaryKey)
		}
	}
}

// Anybody can send many messages with the same id; telling them apart must not compare each with all earlier ones.
func TestManyMessagesOfOneIDAreReadInTime(t *testing.T) {
	const count = 10_000
	ids := knownIDs{map[string]int32{}, map[string]knownContent{}}
	begun := time.Now()
	for number := range count {
		one := item.Item{ID: "same@x", Line: number, Content: strconv.Itoa(number)}
		if reason := ids.admit(&one, "a.mbox", "message_id"); reason != "" || number > 0 && one.ID != "same@x-"+strconv.Itoa(number+1) {
			t.Fatalf("message %d is %s: %s", number, one.ID, reason)
		}
	}
	again := item.Item{ID: "same@x", Content: "7"}
	if reason := ids.admit(&again, "b.mbox", "message_id"); again.ID != "same@x-8" || reason != item.SameAs+"at line 7 of a.mbox" {
		t.Errorf("a copy is %s: %s", again.ID, reason)
	}
	if took := time.Since(begun); took > 3*time.Second {
		t.Errorf("%d messages took %s", count, took)
	}
}
