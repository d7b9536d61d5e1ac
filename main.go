// Command pdpp-mcp lets an AI assistant read a person's data from a PDPP resource server through the Model Context
// Protocol: hosted at /mcp, or as a local stdio server. Run it with --help.
package main

import (
	"context"
	"io"
	stdlog "log"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
)

// version is set by the release build.
var version = "dev"

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(175) // live memory stays small, so fewer collections cost only some megabytes; higher values gain little
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(service.SoftMemory(os.DirFS("/")))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once, as signals do
	signal.Ignore(syscall.SIGPIPE) // a closed log pipe does not end the program
	log := service.NewLogWriter(os.Stderr)
	stdlog.SetOutput(service.NewFaultLog(log)) // net/http's clients log only to the standard logger
	code := run(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, log)
	log.Drain(cli.LastLineWait)
	stop()
	os.Exit(code)
}

// run is main without the settings of the whole process. It returns the exit code.
func run(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, problems io.Writer) int {
	return cli.Run(ctx, args, cli.App{
		Version: version, Getenv: getenv, In: in, Out: out, Err: problems,
		Host: func(ctx context.Context, c cli.HostedConfig, inherited []net.Listener) (cli.Hosted, error) {
			return newHosted(ctx, c, inherited)
		},
	})
}
