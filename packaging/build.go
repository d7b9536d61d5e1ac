package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
)

// goTool runs the go command for a target in a copy of this repository, and returns its output.
func goTool(ctx context.Context, folder string, t target, arguments ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", arguments...) // #nosec G204 -- arguments of our own
	command.Dir = folder
	command.Env = append(os.Environ(), buildEnvironment...)
	command.Env = append(command.Env, "GOOS="+t.os, "GOARCH="+t.arch)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s for %s: %w", arguments[0], t, err)
	}
	return output, nil
}

func build(ctx context.Context, t target, version string) ([]byte, error) {
	folder, err := os.MkdirTemp("", "packaging")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	path := filepath.Join(folder, t.binary())
	arguments := append([]string{"build", "-o", path, "-ldflags", linkerFlags(version)}, buildFlags...)
	if _, err := goTool(ctx, ".", t, append(arguments, ".")...); err != nil {
		return nil, err
	}
	return os.ReadFile(path) // #nosec G304 -- just built
}

// readDocuments reads the files that accompany the program in every archive.
func readDocuments(modules []module) ([]file, error) {
	var documents []file
	for _, name := range documentNames {
		data, err := os.ReadFile(name) // #nosec G304 -- a name of our own
		if err != nil {
			return nil, err
		}
		documents = append(documents, file{name: name, data: data})
	}
	licenses, err := thirdPartyLicenses(modules)
	if err != nil {
		return nil, err
	}
	return append(documents, file{name: licensesName, data: licenses}), nil
}

// licenseName matches the files of a module that must accompany copies of it.
var licenseName = regexp.MustCompile(`(?i)^(license|licence|copying|notice|patents)`)

// thirdPartyLicenses returns the license files of the modules and of the standard library in one text.
func thirdPartyLicenses(modules []module) ([]byte, error) {
	var text bytes.Buffer
	text.WriteString(name + " is built from these modules, each under its own license.\n")
	for _, m := range modules {
		found := 0
		entries, err := os.ReadDir(m.folder)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.IsDir() || !licenseName.MatchString(entry.Name()) {
				continue
			}
			data, err := os.ReadFile(filepath.Join(m.folder, entry.Name())) // #nosec G304 -- of a module in the build
			if err != nil {
				return nil, err
			}
			found++
			fmt.Fprintf(&text, "\n==== %s %s: %s\n\n%s\n", m.path, m.version, entry.Name(), bytes.TrimSpace(data))
		}
		if found == 0 {
			return nil, fmt.Errorf("%s has no license file: it must not be redistributed", m.path)
		}
	}
	return text.Bytes(), nil
}
