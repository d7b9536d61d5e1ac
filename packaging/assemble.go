package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"
)

// An edition is everything that a release is made from.
type edition struct {
	version   string
	date      time.Time
	binaries  map[target][]byte
	documents []file   // next to the program in every archive
	tools     []tool   // as listed to models
	modules   []module // linked into the programs
}

type object = map[string]any

func encode(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(value)
	return out.Bytes(), err
}

//go:embed templates
var templates embed.FS

// filled executes a template with the facts about the program that every package repeats, and more.
func (e edition) filled(name string, more object) ([]file, error) {
	facts := maps.Clone(project)
	facts["version"] = e.version
	maps.Copy(facts, more)
	functions := template.FuncMap{"json": func(value any) (string, error) {
		text, err := encode(value)
		return string(text), err
	}}
	var out bytes.Buffer
	parsed, err := template.New(name).Option("missingkey=error").Funcs(functions).ParseFS(templates, "templates/"+name)
	if err == nil {
		err = parsed.Execute(&out, facts)
	}
	if err == nil && path.Ext(name) == ".json" {
		text := bytes.Clone(out.Bytes())
		out.Reset()
		err = json.Indent(&out, text, "", "  ")
	}
	return []file{{name: name, data: out.Bytes()}}, err
}

// assemble makes every file of a release from an edition alone, the checksums last. Later files refer to earlier ones.
func assemble(e edition) ([]file, error) {
	var files []file
	for _, made := range []func(before []file) ([]file, error){e.archives, e.npmPackages, e.bundle, e.entry, e.formula, e.billOfMaterials} {
		more, err := made(files)
		if err != nil {
			return nil, err
		}
		files = append(files, more...)
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var sums bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", f.sha256(), f.name)
	}
	return append(files, file{name: checksumsName, data: sums.Bytes()}), nil
}

func (e edition) program(t target, path string) file {
	return file{name: path, data: e.binaries[t], executable: true}
}

func (e edition) archives([]file) ([]file, error) {
	var archives []file
	for _, t := range targets {
		files := append([]file{e.program(t, t.binary())}, e.documents...)
		pack := tarball
		if t.os == "windows" {
			pack = zipped
		}
		data, err := pack(files, e.date)
		if err != nil {
			return nil, err
		}
		archives = append(archives, file{name: archiveName(t, e.version), data: data})
	}
	return archives, nil
}

//go:embed npm/pdpp-mcp.js
var npmStarter []byte

//go:embed npm/pdpp-mcp-server.js
var npmServerStarter []byte

// npmPackages returns one package per target with the program, and one that starts the right program. Its dependencies name exact versions,
// so all packages of a version must be published together.
func (e edition) npmPackages([]file) ([]file, error) {
	manifest := func(name, about string, more object) object {
		m := object{
			"name": name, "version": e.version, "description": about, "license": license, "author": author,
			"homepage": repository, "repository": object{"type": "git", "url": "git+" + repository + ".git"},
			"publishConfig": object{"access": "public"},
		}
		maps.Copy(m, more)
		return m
	}
	optional := object{}
	var packages []file
	add := func(m object, files ...file) error {
		data, err := encode(m)
		if err != nil {
			return err
		}
		files = slices.Concat([]file{{name: "package.json", data: data}}, e.documents, files)
		for i := range files {
			files[i].name = path.Join("package", files[i].name)
		}
		packed, err := tarball(files, e.date)
		if err != nil {
			return err
		}
		file := file{name: strings.NewReplacer("@", "", "/", "-").Replace(m["name"].(string)) + "-" + e.version + ".tgz", data: packed}
		packages = append(packages, file)
		return nil
	}
	for _, t := range targets {
		platform, arch := t.node()
		name := npmName + "-" + platform + "-" + arch
		optional[name] = e.version
		about := "The program of " + npmName + " for " + t.String() + "."
		if err := add(manifest(name, about, object{"os": []string{platform}, "cpu": []string{arch}, "preferUnplugged": true}), e.program(t, "bin/"+t.binary())); err != nil {
			return nil, err
		}
	}
	starter, serverStarter := "bin/"+name+".js", "bin/"+serverCommand+".js"
	err := add(manifest(npmName, description, object{
		"mcpName": registryName, "keywords": keywords, "bin": object{name: starter, serverCommand: serverStarter},
		"engines": object{"node": ">=18"}, "optionalDependencies": optional,
	}), file{name: starter, data: npmStarter, executable: true}, file{name: serverStarter, data: npmServerStarter, executable: true})
	return packages, err
}

// A tool is a listed tool, reduced to what a bundle repeats.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// readTools reads the listings of the tools from their golden files.
func readTools(folder string) ([]tool, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var tools []tool
	for _, path := range paths {
		data, err := os.ReadFile(path) // #nosec G304 -- of this repository
		if err != nil {
			return nil, err
		}
		var t tool
		if err := json.Unmarshal(data, &t); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		tools = append(tools, t)
	}
	if len(tools) == 0 {
		return nil, errors.New(folder + " holds no tool")
	}
	return tools, nil
}

// bundle makes the file that Claude Desktop installs with a double click. Claude Desktop selects a program by operating system alone, so
// the one for macOS is universal, and those for Windows and Linux are for amd64, which Windows on arm64 runs too.
func (e edition) bundle([]file) ([]file, error) {
	darwin, err := universal(e.binaries[target{"darwin", "amd64"}], e.binaries[target{"darwin", "arm64"}])
	if err != nil {
		return nil, err
	}
	// It configures the program by arguments, because some versions of Claude Desktop do not pass a manifest's env to it.
	manifest, err := e.filled("manifest.json", object{"programs": bundledPrograms, "tools": e.tools})
	if err != nil {
		return nil, err
	}
	data, err := zipped(append([]file{
		manifest[0],
		{name: bundledPrograms["darwin"], data: darwin, executable: true},
		e.program(target{"windows", "amd64"}, bundledPrograms["win32"]),
		e.program(target{"linux", "amd64"}, bundledPrograms["linux"]),
	}, e.documents...), e.date)
	return []file{{name: bundleName(e.version), data: data}}, err
}

// entry makes the entry of the MCP registry, which refers to the bundle.
func (e edition) entry(before []file) ([]file, error) {
	return e.filled("server.json", e.download(before, bundleName(e.version)))
}

// download returns the future URL of an earlier file and its checksum.
func (e edition) download(before []file, name string) object {
	at := slices.IndexFunc(before, func(f file) bool { return f.name == name })
	return object{"url": published(e.version, name), "sum": before[at].sha256()}
}

// bundledPrograms has the path in the bundle of the program for each platform.
var bundledPrograms = map[string]string{
	"darwin": "server/darwin/" + name,
	"win32":  "server/win32/" + name + ".exe",
	"linux":  "server/linux/" + name,
}

// formula makes the Homebrew formula, which installs the program from the archives of the release.
func (e edition) formula(before []file) ([]file, error) {
	var systems []object
	for _, system := range []struct{ homebrew, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		var listed []object
		for _, processor := range []struct{ homebrew, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			archive := e.download(before, archiveName(target{system.os, processor.arch}, e.version))
			archive["processor"] = processor.homebrew
			listed = append(listed, archive)
		}
		systems = append(systems, object{"name": system.homebrew, "archives": listed})
	}
	return e.filled(name+".rb", object{"about": strings.TrimSuffix(description, "."), "systems": systems})
}
