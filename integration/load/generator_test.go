package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// scripted answers in turn, and then with the last for ever.
type scripted struct {
	answers []string
	broken  error // instead of the last
}

func (s *scripted) call() ([]byte, error) {
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
		return []byte(answer), nil
	}
	return []byte(answer), s.broken
}

func TestAWrongAnswerEndsTheRun(t *testing.T) {
	const (
		good  = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"m-0000 and more"}]}}`
		other = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"n-0000 and more"}]}}`
		wrong = `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"m-0000 "}]}}`
		fault = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken, broken, broken, ......."}}`
	)
	for name, row := range map[string]struct {
		caller scripted
		says   string // empty: no error
	}{
		"good answers":                          {scripted{answers: []string{good}}, ""},
		"an error at first":                     {scripted{answers: []string{fault}}, "an error"},
		"a result that is an error at first":    {scripted{answers: []string{wrong}}, "an error"},
		"another record at first":               {scripted{answers: []string{other}}, `no "m-0000"`},
		"no JSON at first":                      {scripted{answers: []string{"m-0000"}}, "no JSON"},
		"an error of the same length later":     {scripted{answers: []string{good, good, (fault + good)[:len(good)]}}, "an answer of"},
		"a shorter answer later":                {scripted{answers: []string{good, good, good[:len(good)-1]}}, "an answer of"},
		"a connection that breaks later":        {scripted{answers: []string{good, good}, broken: errors.New("reset")}, "reset"},
		"a connection that breaks at the start": {scripted{answers: []string{good}, broken: errors.New("reset")}, "reset"},
	} {
		s := subject{name: "s", whole: workload.checkWhole, newCaller: func(workload, int) (caller, error) { return &row.caller, nil }}
		got, err := slice(context.Background(), s, workload{name: "w", holds: "m-0000"}, 1, 5*time.Millisecond)
		if row.says == "" && (err != nil || got.calls == 0) || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
			t.Errorf("%s: %d calls, %v", name, got.calls, err)
		}
	}
}
