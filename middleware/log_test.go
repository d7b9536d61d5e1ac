package middleware_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

func TestLogWritesOneLinePerCall(t *testing.T) {
	record := `{"text":"` + middlewaretest.CanaryRecord + `"}`
	for name, row := range map[string]struct {
		uri   string
		id    string // of the request
		reply tools.Reply
		err   error
		want  map[string]any
	}{
		"a good call": {
			reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(record)}},
			want:  map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "ok", "rs_request_id": "req_scripted", "rs_bytes": float64(len(record)), "ms": 1.5},
		},
		"a package's answer that lacks one connection says so": {
			reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Body: record, Unavailable: 1}}},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "ok", "rs_request_id": "",
				"rs_bytes": float64(len(record)), "unavailable": 1.0, "ms": 1.5},
		},
		"one read is not counted": {
			reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Body: record}}, Reads: 1},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "ok", "rs_request_id": "",
				"rs_bytes": float64(len(record)), "ms": 1.5},
		},
		"several reads are counted": {
			reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Body: record}}, Reads: 2},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "ok", "rs_request_id": "",
				"rs_bytes": float64(len(record)), "reads": 2.0, "ms": 1.5},
		},
		"a call over HTTP has the id of its request": {
			id: "r1", reply: tools.Reply{Answer: tools.Answer{Response: &rs.Response{Body: record}}},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "ok", "rs_request_id": "",
				"request_id": "r1", "rs_bytes": float64(len(record)), "ms": 1.5},
		},
		"a resource is marked": {
			uri: "pdpp://record/" + middlewaretest.CanaryRecord, reply: tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(record)}},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": true, "code": "ok", "rs_request_id": "req_scripted", "rs_bytes": float64(len(record)), "ms": 1.5},
		},
		"a refusal of the resource server has its status and its request id": {
			err:  &rs.Error{Code: "grant_revoked", Status: 403, Message: middlewaretest.CanaryRecord, Hint: middlewaretest.CanaryRecord, Param: middlewaretest.CanaryArgument, RequestID: "req_7", Envelope: []byte(record)},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "grant_revoked", "rs_request_id": "req_7", "rs_status": 403.0, "ms": 1.5},
		},
		"a refusal of our own quotes no argument": {
			err:  rs.Invalid("limit", "limit cannot be "+middlewaretest.CanaryArgument+".", ""),
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "invalid_arguments", "rs_request_id": "", "ms": 1.5},
		},
		"a fault of the network has its cause": {
			err:  &rs.Error{Code: "server_unreachable", Cause: &net.OpError{Op: "dial", Net: "tcp", Err: io.EOF}},
			want: map[string]any{"level": "warn", "message": "call", "tool": "search", "resource": false, "code": "server_unreachable", "rs_request_id": "", "cause": "dial tcp: EOF", "ms": 1.5},
		},
		"a late answer has its cause": {
			err:  &rs.Error{Code: "deadline_exceeded", Cause: context.DeadlineExceeded},
			want: map[string]any{"level": "warn", "message": "call", "tool": "search", "resource": false, "code": "deadline_exceeded", "rs_request_id": "", "cause": "context deadline exceeded", "ms": 1.5},
		},
		"a fault of the adapter hides its cause, which may hold data": {
			err:  &rs.Error{Code: "internal_error", Cause: textError(middlewaretest.CanaryRecord)},
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "internal_error", "rs_request_id": "", "ms": 1.5},
		},
		"an error of a foreign type is an internal one": {
			err:  textError(middlewaretest.CanaryRecord),
			want: map[string]any{"level": "info", "message": "call", "tool": "search", "resource": false, "code": "internal_error", "rs_request_id": "", "ms": 1.5},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			core := spy{Reply: row.reply, Err: row.err}
			call := callOf(t, "search", `{"q":"`+middlewaretest.CanaryArgument+`"}`)
			call.URI = row.uri
			reads := func(ctx context.Context, call tools.Call) (tools.Reply, error) {
				for range row.reply.Reads {
					rsclient.NoteRead(ctx, nil)
				}
				return core.Handle(ctx, call)
			}
			ctx := middleware.WithRequest(as(t.Context(), auth.KindClient), &middleware.Request{ID: row.id})
			reply, err := middleware.Observe(middleware.Options{Log: zerolog.New(&log), Now: ticking(1500 * time.Microsecond)})(reads)(ctx, call)
			if err != row.err || reply.Response != row.reply.Response { //nolint:errorlint // the very same
				t.Errorf("%v, %v: the answer changed", reply, err)
			}
			middlewaretest.WithoutSecrets(t, log.String())
			if diff := cmp.Diff([]map[string]any{row.want}, logLines(t, &log)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Bounded limits a text in bytes ("…" has three), never splits a character, and drops invalid UTF-8.
func TestBounded(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "shorter": "shorter", "exactly-10": "exactly-10",
		"exactly-11x": "exactly…", "a-cut-é-in-two": "a-cut-…", "a \xff byte": "a  byte",
	} {
		if got := middleware.Bounded(text, 10); got != want {
			t.Errorf("Bounded(%q, 10) = %q, want %q", text, got, want)
		}
	}
}

// External text is logged in full up to its limit in bytes, and truncated to that limit beyond it.
func TestLogCutsWhatComesFromOutside(t *testing.T) {
	for key, row := range map[string]struct {
		max  int
		call func(text string) (protocol string, err *rs.Error)
	}{
		"protocol": {32, func(text string) (string, *rs.Error) { return text, nil }},
		"code":     {80, func(text string) (string, *rs.Error) { return "", &rs.Error{Code: rs.Code(text)} }},
		"cause": {300, func(text string) (string, *rs.Error) {
			op, _ := strings.CutSuffix(text, ": EOF")
			return "", &rs.Error{Code: "server_unreachable", Cause: &net.OpError{Op: op, Err: io.EOF}}
		}},
	} {
		t.Run(key, func(t *testing.T) {
			for _, over := range []int{0, 1} {
				const end = ": EOF"
				text := strings.Repeat("x", row.max+over-len(end)) + end
				want := text
				if over > 0 {
					want = text[:row.max-len("…")] + "…"
				}
				protocol, refused := row.call(text)
				var core spy
				if refused != nil {
					core.Err = refused
				}
				call := callOf(t, "search", `{}`)
				call.Protocol = protocol
				var log bytes.Buffer
				_, _ = middleware.Observe(middleware.Options{Log: zerolog.New(&log), Now: ticking(0)})(core.Handle)(t.Context(), call)
				if lines := logLines(t, &log); len(lines) != 1 || lines[0][key] != want {
					t.Errorf("%d bytes too many: log %v, want %q", over, lines, want)
				}
			}
		})
	}
}

// The request id of a resource server is logged only if it consists of harmless characters and is not too long.
func TestLogTakesPlainIDsAlone(t *testing.T) {
	plain := strings.Repeat("x", 121) + "-0.A_z:"
	for id, want := range map[string]string{
		plain: plain, plain + "x": "", "": "", "req 7": "", "req_7\u00ad": "", "[31mreq": "", "r\u00e9q": "", "[token]": "", "a=b": "", "a/b": "", `a"`: "",
	} {
		var log bytes.Buffer
		core := spy{Err: &rs.Error{Code: "not_found", RequestID: id}}
		_, _ = middleware.Observe(middleware.Options{Log: zerolog.New(&log), Now: ticking(0)})(core.Handle)(t.Context(), callOf(t, "search", `{}`))
		if lines := logLines(t, &log); len(lines) != 1 || lines[0]["rs_request_id"] != want {
			t.Errorf("%q: log %v, want %q", id, lines, want)
		}
	}
}

// If the server does not speak HTTP, the log has neither what it sent instead nor the arguments of the call.
func TestLogOfAServerThatIsNone(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 4096)) // answer only after the request
			_, _ = io.WriteString(connection, middlewaretest.CanaryRecord+"\r\n\r\n")
			_ = connection.Close()
		}
	}()
	client, err := rsclient.New(rsclient.Options{Base: "http://" + listener.Addr().String()})
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	pipeline := middleware.Standard(middleware.Options{
		Log: zerolog.New(&log), Source: func(p auth.Principal) rs.Doer { return client.For(p.Caller()) },
	}, tools.Forward)
	reply, err := pipeline(as(t.Context(), auth.KindClient), callOf(t, "search", `{"q":"`+middlewaretest.CanaryArgument+`"}`))
	if err != nil || !reply.Result.IsError {
		t.Fatalf("%+v, %v", reply, err)
	}
	middlewaretest.WithoutSecrets(t, log.String())
	middlewaretest.WithoutSecrets(t, textOf(t, reply.Result))
	lines := logLines(t, &log)
	if len(lines) != 1 || lines[0]["code"] != "server_unreachable" || lines[0]["cause"] == nil {
		t.Errorf("log %v", lines)
	}
}

type textError string

func (e textError) Error() string { return string(e) }
