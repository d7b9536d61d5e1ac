package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

const (
	helloLine = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
	readyLine = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	pingLine  = `{"jsonrpc":"2.0","id":"p","method":"ping"}`
	pongLine  = `{"jsonrpc":"2.0","id":"p","result":{}}`
)

func callLine(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":{}}}`
}

func serveStdio(ctx context.Context, server *transport.Server, in io.Reader, out io.Writer) error {
	return transport.Stdio(ctx, server, auth.Principal{Token: rs.NewToken("t"), Kind: auth.KindClient}, in, out)
}

// talk is a session in which each line awaits its answer before the next is sent.
type talk struct {
	t     *testing.T
	in    *io.PipeWriter
	out   *bufio.Scanner
	ended chan error
}

func startTalk(t *testing.T, pipeline tools.Handler) *talk {
	t.Helper()
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	k := &talk{t: t, in: in, out: bufio.NewScanner(outReader), ended: make(chan error, 1)}
	k.out.Buffer(nil, 4<<20)
	go func() {
		err := serveStdio(context.Background(), testServer(pipeline, io.Discard), inReader, out)
		_ = out.Close()
		k.ended <- err
	}()
	t.Cleanup(func() { _ = in.Close(); _ = outReader.Close(); _ = inReader.Close() })
	k.say(helloLine)
	k.hear()
	k.say(readyLine)
	return k
}

func (k *talk) say(line string) {
	k.t.Helper()
	if _, err := io.WriteString(k.in, line+"\n"); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talk) hear() string {
	k.t.Helper()
	if !k.out.Scan() {
		k.t.Fatalf("the session ended: %v", k.out.Err())
	}
	return k.out.Text()
}

func TestStdioLivesThroughWhatIsNoMessage(t *testing.T) {
	refusal := func(code, message string) string {
		return `{"jsonrpc":"2.0","id":null,"error":{"code":` + code + `,"message":"` + message + `"}}`
	}
	parse := refusal("-32700", "Parse error: the message is not valid JSON")
	invalid := refusal("-32600", "Invalid request: not a JSON-RPC 2.0 message")
	batch := refusal("-32600", "Invalid request: batches are not served; send one message at a time")
	long := refusal("-32600", "Invalid request: a message must not exceed 128 KiB")
	for _, test := range []struct{ name, line, want string }{
		{"S3-4a a malformed line", `{"jsonrpc":`, parse},
		{"text", "hello", parse},
		{"bytes that are no text", "\x00\xff", parse},
		{"two messages on a line", pingLine + pingLine, parse},
		{"a batch", "[" + pingLine + "," + pingLine + "]", batch},
		{"an empty batch", "[]", batch},
		{"a string", `"ping"`, invalid},
		{"another version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, invalid},
		{"an id that is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, invalid},
		{"neither request nor answer", `{"jsonrpc":"2.0"}`, invalid},
		{"a line of more than 128 KiB", `"` + strings.Repeat("x", 128<<10) + `"`, long},
		{"a line of many MiB", strings.Repeat("x", 5<<20), long},
		{"an unknown method", `{"jsonrpc":"2.0","id":5,"method":"nope"}`, `{"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"method not found: \"nope\""}}`},
		{"blank lines before", "\n  \r\n\t\n" + pingLine, pongLine},
		{"spaces around", "  " + pingLine + " \t\r", pongLine},
		{"an answer to a question that nobody put", `{"jsonrpc":"2.0","id":9,"result":{}}` + "\n" + pingLine, pongLine},
	} {
		t.Run(test.name, func(t *testing.T) {
			k := startTalk(t, echo)
			k.say(test.line)
			if diff := cmp.Diff(test.want, k.hear()); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			k.say(pingLine)
			if got := k.hear(); got != pongLine {
				t.Errorf("the session is lost: %s", got)
			}
			_ = k.in.Close()
			if err := <-k.ended; err != nil {
				t.Errorf("the end: %v", err)
			}
		})
	}
}

func TestStdioAnswersEverythingBeforeItEnds(t *testing.T) {
	var input strings.Builder
	input.WriteString(helloLine + "\n" + readyLine + "\n")
	for range 10 {
		input.WriteString(callLine(`"c`+string(rune('a'+strings.Count(input.String(), "echo")))+`"`, "echo") + "\n")
	}
	text := strings.TrimSuffix(input.String(), "\n") // the last line lacks its line break
	begun, release := make(chan struct{}, 10), make(chan struct{})
	pipeline := func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		begun <- struct{}{}
		<-release
		if ctx.Err() != nil {
			t.Error("the end of the input ended a call")
		}
		return echo(ctx, call)
	}
	var out strings.Builder
	ended := make(chan error, 1)
	go func() {
		ended <- serveStdio(context.Background(), testServer(pipeline, io.Discard), strings.NewReader(text), &out)
	}()
	for range 10 {
		<-begun
	}
	close(release) // the input ended long ago
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var message struct {
			ID     any
			Result json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.Result == nil {
			t.Errorf("line %q: %v", line, err)
		}
		if id, ok := message.ID.(string); ok {
			seen[id] = true
		}
	}
	if len(seen) != 10 {
		t.Errorf("%d of 10 answers: %v", len(seen), seen)
	}
}

func TestStdioRefusesAnIDThatIsUnderWay(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	k := startTalk(t, func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		close(begun)
		<-release
		return echo(ctx, call)
	})
	k.say(callLine("1", "echo"))
	<-begun
	k.say(callLine("1", "echo"))
	if got := k.hear(); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "-32600") {
		t.Errorf("answer %s", got)
	}
	close(release)
	if got := k.hear(); !strings.Contains(got, `"id":1`) || !strings.Contains(got, "result") {
		t.Errorf("answer %s", got)
	}
}

func TestStdioCancelsACall(t *testing.T) {
	begun := make(chan struct{})
	k := startTalk(t, func(ctx context.Context, _ tools.Call) (tools.Reply, error) {
		close(begun)
		<-ctx.Done()
		return tools.Reply{}, &rs.Error{Code: "canceled", Message: "The caller hung up."}
	})
	k.say(callLine("1", "echo"))
	<-begun
	k.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if got := k.hear(); !strings.Contains(got, `"id":1`) {
		t.Errorf("answer %s", got)
	}
	_ = k.in.Close()
	if err := <-k.ended; err != nil {
		t.Error(err)
	}
}

func TestStdioCallsAreThePrincipals(t *testing.T) {
	var seen auth.Principal
	k := startTalk(t, func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		seen = auth.PrincipalFrom(ctx)
		return echo(ctx, call)
	})
	k.say(callLine("1", "echo"))
	k.hear()
	if seen.Kind != auth.KindClient || seen.Token.Reveal() != "t" {
		t.Errorf("principal %+v", seen)
	}
}

func TestStdioLinesNeverInterleave(t *testing.T) {
	var all sync.WaitGroup
	k := startTalk(t, echo)
	all.Go(func() {
		for i := range 50 {
			id, _ := json.Marshal(i + 1)
			if _, err := io.WriteString(k.in, callLine(string(id), "echo")+"\nnoise\n"); err != nil {
				t.Error(err)
			}
		}
	})
	for range 100 {
		if line := k.hear(); !json.Valid([]byte(line)) {
			t.Errorf("line %q", line)
		}
	}
	all.Wait()
}

func TestStdioEndsWithItsContext(t *testing.T) {
	inReader, in := io.Pipe()
	defer func() { _ = in.Close() }()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- serveStdio(ctx, testServer(echo, io.Discard), inReader, io.Discard) }()
	stop()
	var stopped *transport.StoppedError
	if err := <-ended; !errors.As(err, &stopped) || err.Error() != "stopped: context canceled" {
		t.Errorf("it ended with %v", err)
	}
}

// A closed input gives open calls ten seconds, and then ends them.
func TestStdioDoesNotWaitForEverForWhatIsOpen(t *testing.T) {
	t.Parallel()
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	canceled := make(chan error, 1)
	server := testServer(func(ctx context.Context, _ tools.Call) (tools.Reply, error) {
		ctx, release := middleware.RequestFrom(ctx).Bind(ctx)
		defer release()
		_ = in.Close()
		<-ctx.Done()
		canceled <- context.Cause(ctx)
		return tools.Reply{}, context.Cause(ctx)
	}, io.Discard)
	ended := make(chan error, 1)
	go func() {
		ended <- serveStdio(context.Background(), server, inReader, out)
		_ = out.Close()
	}()
	go func() { _, _ = io.WriteString(in, helloLine+"\n"+readyLine+"\n"+callLine("7", "echo")+"\n") }()
	answers, err := io.ReadAll(outReader)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(answers), `"id":7,"error"`) || !strings.Contains(string(answers), "server_stopping") {
		t.Errorf("answers: %s", answers)
	}
	if cause := rs.AsError(<-canceled); cause.Code != "server_stopping" {
		t.Errorf("the call was canceled for %v", cause)
	}
	const want = "stopped: the input ended, and calls were not answered within 10s; open calls that were canceled: 1"
	if err := <-ended; err == nil || err.Error() != want {
		t.Errorf("it ended with %v", err)
	}
}
