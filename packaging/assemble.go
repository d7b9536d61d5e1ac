package main

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// An edition is all that a release is made from.
type edition struct {
	version   string
	date      time.Time
	binaries  map[target][]byte
	documents []file   // beside the program in every archive
	tools     []tool   // that a model is shown
	modules   []module // that the programs are built from
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

// assemble makes every file of a release from an edition and nothing else, the checksums last.
func assemble(e edition) ([]file, error) {
	archives, err := e.archives()
	if err != nil {
		return nil, err
	}
	packages, err := e.npmPackages()
	if err != nil {
		return nil, err
	}
	bundle, err := e.bundle()
	if err != nil {
		return nil, err
	}
	entry, err := encode(registryEntry(e.version, bundle.sha256()))
	if err != nil {
		return nil, err
	}
	components, err := e.billOfMaterials()
	if err != nil {
		return nil, err
	}
	files := append(slices.Concat(archives, packages), bundle, file{name: billName(e.version), data: components},
		file{name: "server.json", data: entry},
		file{name: name + ".rb", data: []byte(formula(e.version, archives))})
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var sums bytes.Buffer
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", f.sha256(), f.name)
	}
	return append(files, file{name: checksumsName, data: sums.Bytes()}), nil
}

// program is the program for a target as a file of that path.
func (e edition) program(t target, path string) file {
	return file{name: path, data: e.binaries[t], executable: true}
}

func (e edition) archives() ([]file, error) {
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

// npmPackages are one package per target that holds the program, and one that starts the right one of them. A version is
// published with all of them or not at all: the dependencies are exact.
func (e edition) npmPackages() ([]file, error) {
	manifest := func(name, about string, more object) object {
		m := object{
			"name": name, "version": e.version, "description": about, "license": license, "author": author,
			"homepage": repository, "repository": object{"type": "git", "url": "git+" + repository + ".git"},
			"publishConfig": object{"access": "public"},
		}
		for key, value := range more {
			m[key] = value
		}
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

// A tool is what a model is shown, as far as a bundle repeats it.
type tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// readTools reads the reviewed listings of the tools.
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

// bundle is what Claude Desktop installs with a double click. It chooses among programs by operating system alone, so
// that of macOS runs on both processors, and those of Windows and Linux are for amd64 (Windows runs it on arm64 too).
func (e edition) bundle() (file, error) {
	darwin, err := universal(e.binaries[target{"darwin", "amd64"}], e.binaries[target{"darwin", "arm64"}])
	if err != nil {
		return file{}, err
	}
	manifest, err := encode(e.bundleManifest())
	if err != nil {
		return file{}, err
	}
	data, err := zipped(slices.Concat([]file{
		{name: "manifest.json", data: manifest},
		{name: bundledPrograms["darwin"], data: darwin, executable: true},
		e.program(target{"windows", "amd64"}, bundledPrograms["win32"]),
		e.program(target{"linux", "amd64"}, bundledPrograms["linux"]),
	}, e.documents), e.date)
	return file{name: bundleName(e.version), data: data}, err
}

// bundledPrograms says where a bundle holds the program of each platform.
var bundledPrograms = map[string]string{
	"darwin": "server/darwin/" + name,
	"win32":  "server/win32/" + name + ".exe",
	"linux":  "server/linux/" + name,
}

// bundleManifest is a bundle's manifest.json, of version 0.3 of its specification.
func (e edition) bundleManifest() object {
	command := func(platform string) string { return "${__dirname}/" + bundledPrograms[platform] }
	return object{
		"manifest_version": "0.3",
		"name":             name, "display_name": displayName, "version": e.version, "description": description,
		"long_description": description + " It reads a folder of your own files, or a provider: for that, run `pdpp-mcp connect URL` on this machine first and give the same URL here. " +
			"The program reads with the grant that this left, and never with an owner's credential.",
		"author":     object{"name": author, "url": repository},
		"repository": object{"type": "git", "url": repository + ".git"},
		"homepage":   repository, "documentation": repository + "/blob/main/docs/install.md", "support": repository + "/issues",
		"license": license, "keywords": keywords,
		"server": object{
			"type": "binary", "entry_point": bundledPrograms["darwin"],
			"mcp_config": object{
				// Arguments, since versions of Claude Desktop do not pass a manifest's env to a program.
				"command": command("darwin"), "args": []string{"stdio", "--provider-url=${user_config.provider_url}", "--data=${user_config.data}"},
				"platform_overrides": object{"win32": object{"command": command("win32")}, "linux": object{"command": command("linux")}},
			},
		},
		"tools":         e.tools,
		"compatibility": object{"platforms": []string{"darwin", "win32", "linux"}},
		"user_config": object{
			"data": object{
				"type": "directory", "title": "Your own files", "description": dataDescription, "required": false, "default": "",
			},
			"provider_url": object{
				"type": "string", "title": "Provider URL", "description": "Instead of a folder: " + providerDescription, "required": false, "default": "",
			},
		},
	}
}

// registryEntry is server.json, with which a version is published in the MCP registry.
func registryEntry(version, bundleSHA256 string) object {
	variables := []object{{"name": providerVariable, "description": providerDescription, "isRequired": true, "format": "string"}}
	local := object{"type": "stdio"}
	return object{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    registryName, "title": displayName, "description": description, "version": version,
		"repository": object{"url": repository, "source": "github"},
		"packages": []object{
			{
				"registryType": "npm", "identifier": npmName, "version": version, "runtimeHint": "npx", "transport": local,
				"packageArguments": []object{{"type": "positional", "value": "stdio"}}, "environmentVariables": variables,
			},
			{
				"registryType": "mcpb", "identifier": published(version, bundleName(version)), "fileSha256": bundleSHA256,
				"version": version, "transport": local,
			},
		},
	}
}

// formula is the Homebrew formula: it installs the program from the archives of the release.
func formula(version string, archives []file) string {
	var out strings.Builder
	out.WriteString("class PdppMcp < Formula\n")
	fmt.Fprintf(&out, "  desc %q\n  homepage %q\n  license %q\n", strings.TrimSuffix(description, "."), repository, license)
	for _, system := range []struct{ homebrew, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		fmt.Fprintf(&out, "\n  on_%s do\n", system.homebrew)
		for _, processor := range []struct{ homebrew, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			wanted := archiveName(target{system.os, processor.arch}, version)
			at := slices.IndexFunc(archives, func(f file) bool { return f.name == wanted })
			fmt.Fprintf(&out, "    on_%s do\n      url %q\n      sha256 %q\n    end\n", processor.homebrew, published(version, wanted), archives[at].sha256())
		}
		out.WriteString("  end\n")
	}
	out.WriteString(`
  def install
    bin.install "pdpp-mcp"
    generate_completions_from_executable(bin/"pdpp-mcp", "completion")
  end

  test do
    assert_equal "pdpp-mcp #{version}", shell_output("#{bin}/pdpp-mcp --version").strip
  end
end
`)
	return out.String()
}
