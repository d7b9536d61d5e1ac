package rs_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestAsError(t *testing.T) {
	typed := &rs.Error{Code: "not_found", Message: "m"}
	if got := rs.AsError(fmt.Errorf("while reading: %w", typed)); got != typed {
		t.Errorf("a wrapped error becomes %v", got)
	}
	if got := rs.AsError(errors.New("words-canary-77aa")); got.Code != "internal_error" ||
		got.Error() != "internal_error: The adapter failed to answer this call." {
		t.Errorf("a foreign error becomes %v", got)
	}
	if err := (&rs.Error{Code: "canceled", Cause: context.Canceled}); !errors.Is(err, context.Canceled) {
		t.Error("the cause cannot be found")
	}
	if got := rs.Invalid("limit", "The limit is 0.", "Send 1."); got.Code != "invalid_arguments" || got.Param+got.Message+got.Hint != "limitThe limit is 0.Send 1." {
		t.Errorf("an argument at fault becomes %+v", got)
	}
}

// The log has the type and the stack of a panic, and never its value.
func TestLogPanic(t *testing.T) {
	var log strings.Builder
	func() {
		defer func() { rs.LogPanic(zerolog.New(&log))(recover()) }()
		panic(errors.New("canary"))
	}()
	if text := log.String(); strings.Contains(text, "canary") || !strings.Contains(text, `"panic":"*errors.errorString"`) || !strings.Contains(text, "error_test.go") {
		t.Error(text)
	}
}

// What is remembered of an error has neither its envelope nor its connections nor its cause.
func TestABriefErrorIsSmall(t *testing.T) {
	small := rs.Error{
		Code: "not_found", Message: "m", Quoted: true, Hint: "h", Status: 404, RequestID: "r", RetryAfter: time.Second,
	}
	large := small
	large.Envelope, large.Connections, large.Cause = []byte(`{}`), []rs.Connection{{ID: "c"}}, context.Canceled
	if diff := cmp.Diff(&small, large.Brief()); diff != "" {
		t.Error(diff)
	}
	if got := (*rs.Error)(nil).Brief(); got != nil {
		t.Errorf("of no error %v is remembered", got)
	}
}

func TestTheRefusalOfAllFilters(t *testing.T) {
	for says, row := range map[string]struct {
		status         int
		param, message string
		want           bool
	}{
		"filters are not supported":      {400, "filter", "Filters are not supported here.", true},
		"the stream does not exist":      {404, "filter", "Filters are not supported here.", false},
		"another argument is at fault":   {400, "expand", "Relations are not supported here.", false},
		"the value of a filter is wrong": {400, "filter", "A number is needed.", false},
	} {
		if got := rs.RefusesFilters(&rs.Error{Status: row.status, Param: row.param, Message: row.message}); got != row.want {
			t.Errorf("%s: %v", says, got)
		}
	}
}

func TestAWaitIsInWholeSeconds(t *testing.T) {
	for wait, want := range map[time.Duration]string{time.Second: "1 second", 5 * time.Second: "5 seconds"} {
		if got := rs.Seconds(wait); got != want {
			t.Errorf("%v is %s, want %s", wait, got, want)
		}
	}
}
