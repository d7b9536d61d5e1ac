package middleware_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestRecover(t *testing.T) {
	for name, row := range map[string]struct {
		do    func()
		panic string // what the log says panicked
	}{
		"a panic with a text":             {func() { panic(middlewaretest.CanaryRecord) }, "string"},
		"a panic with an error":           {func() { panic(errors.New(middlewaretest.CanaryRecord)) }, "*errors.errorString"},
		"a fault of the runtime":          {func() { _ = []int{}[len(middlewaretest.CanaryRecord)] }, "runtime.boundsError"},
		"an assertion about an interface": {func() { _ = any(middlewaretest.CanaryRecord).(int) }, "*runtime.TypeAssertionError"},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			core := spy{
				Reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`{}`)}},
				Do:    func(context.Context, tools.Call) { row.do() },
			}
			handle := middleware.Observe(middleware.Options{Log: zerolog.New(&log), Now: time.Now})(core.Handle)
			reply, err := handle(as(t.Context(), auth.KindClient), callOf(t, "fetch", `{"id":"`+middlewaretest.CanaryArgument+`"}`))
			if codeOf(t, err) != "internal_error" || reply.Response != nil {
				t.Errorf("%v, %v; want an internal error alone", reply, err)
			}
			text := log.String()
			lines := logLines(t, &log)
			if len(lines) != 2 || lines[1]["message"] != "call" || lines[1]["code"] != "internal_error" {
				t.Fatalf("not a line of the panic and one of its call: %v", lines)
			}
			stack, _ := lines[0]["stack"].(string)
			delete(lines[0], "stack")
			if diff := cmp.Diff(map[string]any{"level": "error", "tool": "fetch", "panic": row.panic, "message": "panic"}, lines[0]); diff != "" {
				t.Error(diff)
			}
			if !strings.Contains(stack, "recover_test.go") {
				t.Errorf("the stack does not lead to the fault: %s", stack)
			}
			for _, secret := range []string{middlewaretest.CanaryRecord, middlewaretest.CanaryArgument, middlewaretest.CanaryToken} {
				if strings.Contains(text, secret) || strings.Contains(err.Error(), secret) {
					t.Errorf("%s is shown", secret)
				}
			}
		})
	}
}

func TestRecoverLeavesTheRestAlone(t *testing.T) {
	var log bytes.Buffer
	want := &rs.Error{Code: "grant_revoked"}
	core := spy{Reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`{}`)}}, Err: want}
	reply, err := middleware.Observe(middleware.Options{Log: zerolog.New(&log), Now: time.Now})(core.Handle)(t.Context(), callOf(t, "schema", ``))
	if err != want || reply.Response != core.Reply.Response || strings.Contains(log.String(), "panic") { //nolint:errorlint // the very same
		t.Errorf("%v, %v, log %s", reply, err, log.String())
	}
}
