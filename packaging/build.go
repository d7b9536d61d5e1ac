package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// goTool runs the go command for a target and returns what it prints.
func goTool(ctx context.Context, t target, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", arguments...) // #nosec G204 -- arguments of our own
	command.Env = append(os.Environ(), buildEnvironment...)
	command.Env = append(command.Env, "GOOS="+t.os, "GOARCH="+t.arch)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s for %s: %w", arguments[0], t, err)
	}
	return output, nil
}

// build makes the program for a target.
func build(ctx context.Context, t target, version string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, t.binary())
	arguments := append([]string{"build", "-o", path, "-ldflags", linkerFlags(version)}, buildFlags...)
	if _, err := goTool(ctx, t, append(arguments, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // #nosec G304 -- just built
}

// readDocuments reads what lies beside the program in every archive.
func readDocuments(ctx context.Context) ([]file, error) {
	var documents []file
	for _, name := range documentNames {
		data, err := os.ReadFile(name) // #nosec G304 -- a name of our own
		if err != nil {
			return nil, err
		}
		documents = append(documents, file{name: name, data: data})
	}
	licenses, err := thirdPartyLicenses(ctx)
	if err != nil {
		return nil, err
	}
	return append(documents, file{name: licensesName, data: licenses}), nil
}

func writeLicenses(ctx context.Context, path string) error {
	licenses, err := thirdPartyLicenses(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // #nosec G301 -- to be published
		return err
	}
	return os.WriteFile(path, licenses, 0o644) // #nosec G306 -- to be published
}

// licenseName is what a file is called that a copy of a module must bring along.
var licenseName = regexp.MustCompile(`(?i)^(license|licence|copying|notice|patents)`)

// thirdPartyLicenses gathers the licenses of Go and of every module that is in the program for some target.
func thirdPartyLicenses(ctx context.Context) ([]byte, error) {
	var modules []string
	for _, t := range targets {
		listed, err := goTool(ctx, t, "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}", ".")
		if err != nil {
			return nil, err
		}
		modules = append(modules, strings.Split(strings.TrimSpace(string(listed)), "\n")...)
	}
	root, err := goTool(ctx, targets[0], "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules = append(modules, "Go's standard library\t"+strings.TrimSpace(string(root)))
	slices.Sort(modules)
	var text bytes.Buffer
	text.WriteString(name + " is built from these modules, each under its own license.\n")
	for _, module := range slices.Compact(modules) {
		title, folder, listed := strings.Cut(module, "\t")
		if !listed { // a package of the standard library has no module
			continue
		}
		found := 0
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenseName.MatchString(entry.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(folder, entry.Name())) // #nosec G304 -- of a module in the build
			if err != nil {
				return nil, err
			}
			found++
			fmt.Fprintf(&text, "\n==== %s: %s\n\n%s\n", title, entry.Name(), bytes.TrimSpace(data))
		}
		if found == 0 {
			return nil, fmt.Errorf("%s has no license file: it may not be given on", title)
		}
	}
	return text.Bytes(), nil
}
