package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// TestMain lets the test binary be the program, for the scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"pdpp-mcp": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
		},
	})
}

// TestCommandLine runs testdata/script: what can be typed, and what comes of it. Beside testscript's own commands there are
//
//	exits CODE PROGRAM [ARG...]   runs a program and wants its exit code
//	last [!] TEXT                 wants TEXT in the last line of stderr, which is the line that hosts show; or not
//
// and LISTED, the number of listed tools.
func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LISTED", strconv.Itoa(listedTools()))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "last": last},
	})
}

// listedTools returns how many tools models are shown; the tests of package tools fix which.
func listedTools() (n int) {
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			n++
		}
	}
	return n
}

func exits(ts *testscript.TestScript, not bool, args []string) {
	if not || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var failed *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("%s exits with %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

func last(ts *testscript.TestScript, not bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: last [!] TEXT")
	}
	stderr := strings.TrimSuffix(ts.ReadFile("stderr"), "\n")
	line := stderr[strings.LastIndex(stderr, "\n")+1:]
	if strings.Contains(line, args[0]) == not {
		ts.Fatalf("the last line of stderr is %q", line)
	}
}
