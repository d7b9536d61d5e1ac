package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestFiguresMatchKnownValues(t *testing.T) {
	seen := sight{ids: []string{"c/s:1", "c/s:2", "c/s:3", "c/s:4"}, chars: 500}
	trials := []trial{
		{question: question{Stream: "s", Gold: []string{"4", "9"}}, seen: seen, reads: 1, took: time.Millisecond, among: 20},
		{question: question{Gold: []string{"c/s:7|c/s:2"}}, seen: seen, reads: 4, took: 3 * time.Millisecond, among: 5},
		{question: question{Gold: []string{"c/s:1"}}, seen: sight{chars: 1000}, reads: 1, took: 2 * time.Millisecond, among: 20},
		{question: question{}, seen: sight{says: true}, among: 20},
	}
	want := map[string]float64{
		"zero": 1. / 3, "any@3": 1. / 3, "all@3": 1. / 3, "any@10": 2. / 3, "all@10": 1. / 3, "prec@10": 0.2 / 3,
		"chance": (1 - 10./20*9/19 + 1 + 10./20) / 3, "gold/1k": 1, "reads": 2, "ms": 2, "true no": 1,
	}
	for _, c := range columns {
		if got := c.measure(trials); math.Abs(got.value-want[c.name]) > 1e-9 || got.low > got.value || got.high < got.value {
			t.Errorf("%s is %v, not %v", c.name, got, want[c.name])
		}
	}
	if got := wilson(8, 10); math.Abs(got.low-0.4902) > 1e-4 || math.Abs(got.high-0.9433) > 1e-4 {
		t.Errorf("8 of 10 have the interval %v", got) // Wilson 1927, as in any table of it
	}
}

func TestHitsAreWhatAChannelShows(t *testing.T) {
	text := readText("c/s:1 | \"a title\"\n  read on: read_record_field {\"id\":\"c/s:1\",\"field\":\"x\"}\nc/s:C05:17.0001 + c/t:2 | x\n" +
		"2 hits for \"x\"; first_fetch_id=c/s:1 ; next\npdpp://record/c/s/a%2Fb | y\nnext page: search {\"q\":\"c/s:9\",\"cursor\":\"x\"}")
	if got := strings.Join(text.ids, " "); got != "c/s:1 c/s:C05:17.0001 c/t:2 pdpp://record/c/s/a%2Fb" || text.says || text.retry != nil {
		t.Errorf("%q, %t, %s", got, text.says, text.retry)
	}
	if none := readText("0 hits for \"a b\". Try: search {\"q\":\"a\"}"); !none.says || string(none.retry) != `{"q":"a"}` {
		t.Errorf("%+v", none)
	}
	structured, err := readStructured([]byte(`{"results":[{"id":"c/s:1"},{"id":"c/s:1"},{"id":"c/s:2"}],"data":{"x":"search {}"}}`))
	if got := strings.Join(structured.ids, " "); err != nil || got != "c/s:1 c/s:2" || structured.says || structured.retry != nil {
		t.Errorf("%v %+v", err, structured)
	}
	structured, err = readStructured([]byte(`{"results":[],"data":{"hint":"Try search {\"q\":\"a\"}"}}`))
	if err != nil || !structured.says || string(structured.retry) != `{"q":"a"}` {
		t.Errorf("%v %+v", err, structured)
	}
}
