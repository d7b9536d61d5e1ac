// Command packaging builds a release: from one version and the facts in project.go it makes the program for every
// target, the archives, the npm packages, the Claude Desktop bundle, the Homebrew formula, the entry of the MCP registry
// and the checksums. The same sources, version, date and Go version give the same bytes. Run it by make release.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// semanticVersion matches versions that npm, the MCP registry and Claude Desktop accept (semver.org), without build metadata.
var semanticVersion = regexp.MustCompile(`^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-((0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*))*))?$`)

func main() {
	version := flag.String("version", "", "semantic version without v")
	date := flag.Int64("date", 0, "seconds since 1970 that every packed file shows as its time")
	out := flag.String("out", "dist", "folder to write; what an earlier release left there is removed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := release(ctx, *version, time.Unix(*date, 0).UTC(), *out)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "packaging:", err)
		os.Exit(1)
	}
}

// release builds everything and writes it to a folder.
func release(ctx context.Context, version string, date time.Time, out string) error {
	if !semanticVersion.MatchString(version) {
		return fmt.Errorf("version %q: three numbers are needed, such as 1.2.3 or 1.2.3-rc.1", version)
	}
	if err := clearFolder(out); err != nil {
		return err
	}
	modules, err := listModules(ctx, ".", targets)
	if err != nil {
		return err
	}
	documents, err := readDocuments(modules)
	if err != nil {
		return err
	}
	tools, err := readTools("tools/testdata/list")
	if err != nil {
		return err
	}
	binaries := map[target][]byte{}
	for _, t := range targets {
		fmt.Fprintf(os.Stderr, "building %s\n", t)
		if binaries[t], err = build(ctx, t, version); err != nil {
			return err
		}
	}
	files, err := assemble(edition{version: version, date: date, binaries: binaries, documents: documents, tools: tools, modules: modules})
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(out, f.name), f.data, 0o644); err != nil { // #nosec G306 -- to be published
			return err
		}
		fmt.Fprintf(os.Stderr, "%9d  %s\n", len(f.data), f.name)
	}
	return nil
}

// clearFolder empties or creates a folder. It refuses one with files that no earlier release wrote.
func clearFolder(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ours := slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == checksumsName })
	if len(entries) > 0 && !ours {
		return fmt.Errorf("%s holds files but no %s, so no release wrote it: empty it or name another folder", out, checksumsName)
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	return os.MkdirAll(out, 0o755) // #nosec G301 -- to be published
}
