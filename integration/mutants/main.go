// Command mutants changes one thing at a time in a package, runs the package's tests against each change, and names the
// changes that no test saw. Go's -overlay flag puts the changed file in the place of the real one: nothing in the tree is
// touched.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/build"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
	}
}

// run writes the report. What survives is for a person to judge, so only a report that could not be made is an error.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	most := flags.Int("most", 40, "how many changes to try")
	seed := flags.Uint64("seed", 1, "the seed by which they are picked")
	tests := flags.String("tests", "", "run only the tests that match this expression")
	skip := flags.String("skip", "", "do not run the tests that match this expression")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: mutants [-most N] [-seed S] [-tests REGEX] [-skip REGEX] PACKAGE_DIR [FILE…]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return nil //nolint:nilerr // The flags have said what is wrong.
	}
	if flags.NArg() == 0 {
		return errors.New("name the directory of a package")
	}
	dir, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	t := tester{dir, *tests, *skip}
	if said, err := t.test(ctx); err != nil { // They would kill every change.
		return fmt.Errorf("the tests fail without a change: %w\n%s", err, said)
	}
	changes, err := t.changes(flags.Args()[1:])
	if err != nil {
		return err
	}
	pick := rand.New(rand.NewPCG(*seed, 0)) //nolint:gosec // A pick that can be repeated, not a secret.
	pick.Shuffle(len(changes), func(i, j int) { changes[i], changes[j] = changes[j], changes[i] })
	return t.try(ctx, changes[:min(max(*most, 0), len(changes))], out)
}

// tester runs the tests of one package.
type tester struct{ dir, tests, skip string }

// changes lists those of the named files, or of every file of the package that is not a test.
func (t tester) changes(names []string) ([]change, error) {
	if len(names) == 0 {
		pkg, err := build.ImportDir(t.dir, 0)
		if err != nil {
			return nil, err
		}
		names = pkg.GoFiles
	}
	var all []change
	for _, name := range names {
		path := filepath.Join(t.dir, filepath.Base(name))
		source, err := os.ReadFile(path) //nolint:gosec // The caller names the package.
		if err != nil {
			return nil, err
		}
		found, err := list(path, source)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// try reports what became of each change.
func (t tester) try(ctx context.Context, changes []change, out io.Writer) error {
	ends := map[string]int{}
	for _, c := range changes {
		end, err := t.one(ctx, c)
		if ctx.Err() != nil {
			break // Report what was tried until then.
		}
		if err != nil {
			return err
		}
		c.file = filepath.Base(c.file)
		fmt.Fprintf(out, "%-18s %s\n", end, c)
		ends[end]++
	}
	killed, counted := ends[byTest], ends[byTest]+ends[survived]
	fmt.Fprintf(out, "killed %d of %d (%d %%)\n", killed, counted, 100*killed/max(counted, 1))
	return ctx.Err()
}

const byTest, byCompiler, survived = "killed by test", "killed by compiler", "survived"

// one runs the tests against one change and returns what became of it.
func (t tester) one(ctx context.Context, c change) (string, error) {
	dir, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	changed, overlay := filepath.Join(dir, filepath.Base(c.file)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {c.file: changed}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(os.WriteFile(changed, c.apply(), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	said, err := t.test(ctx, "-overlay", overlay)
	switch {
	case err == nil:
		return survived, nil
	case bytes.Contains(said, []byte("[build failed]")):
		return byCompiler, nil
	}
	return byTest, nil
}

func (t tester) test(ctx context.Context, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-count=1", "-failfast", "-vet=off", "-timeout=60s", "-run=" + t.tests, "-skip=" + t.skip}, flags...)
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // The caller names the package.
	cmd.Dir = t.dir
	return cmd.CombinedOutput()
}
