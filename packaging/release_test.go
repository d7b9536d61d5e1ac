package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"debug/macho"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

var update = flag.Bool("update", false, "rewrite the links of docs/install.md")

const testVersion = "1.2.3-rc.1"

// sample returns an edition with files that the packager accepts as programs.
func sample(t *testing.T) edition {
	t.Helper()
	tools, err := readTools("../tools/testdata/list")
	if err != nil {
		t.Fatal(err)
	}
	e := edition{
		version: testVersion, date: time.Date(2026, 1, 2, 3, 4, 6, 0, time.UTC), binaries: map[target][]byte{}, tools: tools,
		documents: []file{{name: "LICENSE", data: []byte("license")}, {name: licensesName, data: []byte("licenses")}},
		modules: []module{
			{path: "example.org/a", version: "v1.0.0"},
			{path: modulePath},
			{path: "std", version: "1.26.0"},
		},
	}
	for _, to := range targets {
		e.binaries[to] = []byte("program for " + to.String())
		if to.os == "darwin" {
			e.binaries[to] = machO(map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[to.arch])
		}
	}
	return e
}

// machO returns a minimal macOS program for a processor.
func machO(cpu macho.Cpu) []byte {
	var out []byte
	for _, value := range []uint32{macho.Magic64, uint32(cpu), 3, uint32(macho.TypeExec), 0, 0, 0, 0} {
		out = binary.LittleEndian.AppendUint32(out, value)
	}
	return out
}

func assembled(t *testing.T, e edition) map[string]file {
	t.Helper()
	files, err := assemble(e)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]file{}
	for _, f := range files {
		named[f.name] = f
	}
	if len(named) != len(files) {
		t.Errorf("%d files have %d names", len(files), len(named))
	}
	return named
}

// unpacked reads an archive of either kind and returns the contents, modes and times of its entries.
func unpacked(t *testing.T, f file) (content map[string]string, modes map[string]string) {
	t.Helper()
	content, modes = map[string]string{}, map[string]string{}
	if strings.HasSuffix(f.name, "gz") {
		uncompressed, err := gzip.NewReader(bytes.NewReader(f.data))
		if err != nil {
			t.Fatal(err)
		}
		archive := tar.NewReader(uncompressed)
		for {
			header, err := archive.Next()
			if errors.Is(err, io.EOF) {
				return content, modes
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			content[header.Name] = string(data)
			modes[header.Name] = header.FileInfo().Mode().String() + header.ModTime.UTC().Format(" 2006-01-02 15:04:05")
		}
	}
	archive, err := zip.NewReader(bytes.NewReader(f.data), int64(len(f.data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range archive.File {
		opened, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		content[entry.Name] = string(data)
		modes[entry.Name] = entry.Mode().String() + entry.Modified.UTC().Format(" 2006-01-02 15:04:05")
	}
	return content, modes
}

func parsed(t *testing.T, data string) map[string]any {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal([]byte(data), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestAReleaseHasEveryPackage(t *testing.T) {
	var names []string
	for name := range assembled(t, sample(t)) {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"SHA256SUMS",
		"pdp-connect-pdpp-mcp-1.2.3-rc.1.tgz",
		"pdp-connect-pdpp-mcp-darwin-arm64-1.2.3-rc.1.tgz", "pdp-connect-pdpp-mcp-darwin-x64-1.2.3-rc.1.tgz",
		"pdp-connect-pdpp-mcp-linux-arm64-1.2.3-rc.1.tgz", "pdp-connect-pdpp-mcp-linux-x64-1.2.3-rc.1.tgz",
		"pdp-connect-pdpp-mcp-win32-arm64-1.2.3-rc.1.tgz", "pdp-connect-pdpp-mcp-win32-x64-1.2.3-rc.1.tgz",
		"pdpp-mcp.rb", "pdpp-mcp_1.2.3-rc.1.cdx.json", "pdpp-mcp_1.2.3-rc.1.mcpb",
		"pdpp-mcp_1.2.3-rc.1_darwin_amd64.tar.gz", "pdpp-mcp_1.2.3-rc.1_darwin_arm64.tar.gz",
		"pdpp-mcp_1.2.3-rc.1_linux_amd64.tar.gz", "pdpp-mcp_1.2.3-rc.1_linux_arm64.tar.gz",
		"pdpp-mcp_1.2.3-rc.1_windows_amd64.zip", "pdpp-mcp_1.2.3-rc.1_windows_arm64.zip",
		"server.json",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestTheSameEditionIsTheSameBytes(t *testing.T) {
	once, again := assembled(t, sample(t)), assembled(t, sample(t))
	for name := range once {
		if !bytes.Equal(once[name].data, again[name].data) {
			t.Errorf("%s differs", name)
		}
	}
	later := sample(t)
	later.date = later.date.Add(time.Hour)
	if bytes.Equal(once["SHA256SUMS"].data, assembled(t, later)["SHA256SUMS"].data) {
		t.Error("another date gives the same bytes, so the test is not effective")
	}
}

func TestTheChecksumsAreOfEveryOtherFile(t *testing.T) {
	files := assembled(t, sample(t))
	lines := strings.Split(strings.TrimSuffix(string(files["SHA256SUMS"].data), "\n"), "\n")
	if len(lines) != len(files)-1 {
		t.Errorf("%d sums of %d files", len(lines), len(files)-1)
	}
	for _, line := range lines {
		sum, name, _ := strings.Cut(line, "  ")
		if sum != files[name].sha256() {
			t.Errorf("%s: another sum", name)
		}
	}
}

func TestEachArchiveHasAnExecutableProgram(t *testing.T) {
	e := sample(t)
	files := assembled(t, e)
	for _, to := range targets {
		content, modes := unpacked(t, files[archiveName(to, testVersion)])
		want := map[string]string{to.binary(): string(e.binaries[to]), "LICENSE": "license", licensesName: "licenses"}
		if diff := cmp.Diff(want, content); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
		wantModes := map[string]string{
			to.binary(): "-rwxr-xr-x 2026-01-02 03:04:06", "LICENSE": "-rw-r--r-- 2026-01-02 03:04:06", licensesName: "-rw-r--r-- 2026-01-02 03:04:06",
		}
		if diff := cmp.Diff(wantModes, modes); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
	}
}

func TestNpmChoosesThePackageOfItsMachine(t *testing.T) {
	e := sample(t)
	files := assembled(t, e)
	content, modes := unpacked(t, files["pdp-connect-pdpp-mcp-"+testVersion+".tgz"])
	main := parsed(t, content["package/package.json"])
	starter := main["bin"].(map[string]any)["pdpp-mcp"].(string)
	if content["package/"+starter] != string(npmStarter) || !strings.HasPrefix(modes["package/"+starter], "-rwxr-xr-x") {
		t.Errorf("%s is not the starter, or cannot be started: %s", starter, modes["package/"+starter])
	}
	if main["mcpName"] != registryName {
		t.Errorf("mcpName is %v: the MCP registry would not believe that the package is ours", main["mcpName"])
	}
	wanted := main["optionalDependencies"].(map[string]any)
	if len(wanted) != len(targets) {
		t.Errorf("%d optional dependencies for %d targets", len(wanted), len(targets))
	}
	for _, to := range targets {
		platform, arch := to.node()
		name := npmName + "-" + platform + "-" + arch
		content, modes := unpacked(t, files["pdp-connect-pdpp-mcp-"+platform+"-"+arch+"-"+testVersion+".tgz"])
		manifest := parsed(t, content["package/package.json"])
		if manifest["name"] != name || manifest["version"] != testVersion || wanted[name] != testVersion {
			t.Errorf("%v %v is not the dependency %s %v", manifest["name"], manifest["version"], name, wanted[name])
		}
		if diff := cmp.Diff([]any{[]any{platform}, []any{arch}}, []any{manifest["os"], manifest["cpu"]}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		program := "package/bin/" + to.binary()
		if content[program] != string(e.binaries[to]) || !strings.HasPrefix(modes[program], "-rwxr-xr-x") {
			t.Errorf("%s: the program is another or cannot be started", name)
		}
	}
	if !strings.Contains(string(npmStarter), "/bin/pdpp-mcp${") {
		t.Error("the starter looks for the program elsewhere than it is packed")
	}
}

func TestTheBundleStartsTheProgramOfEachPlatform(t *testing.T) {
	e := sample(t)
	content, modes := unpacked(t, assembled(t, e)[bundleName(testVersion)])
	manifest := parsed(t, content["manifest.json"])
	server := manifest["server"].(map[string]any)["mcp_config"].(map[string]any)
	commands := map[string]string{"darwin": server["command"].(string)}
	for platform, override := range server["platform_overrides"].(map[string]any) {
		commands[platform] = override.(map[string]any)["command"].(string)
	}
	for platform, command := range commands {
		path := strings.TrimPrefix(command, "${__dirname}/")
		if content[path] == "" || !strings.HasPrefix(modes[path], "-rwxr-xr-x") {
			t.Errorf("%s: nothing to start at %s", platform, command)
		}
	}
	if content["server/win32/pdpp-mcp.exe"] != "program for windows/amd64" || content["server/linux/pdpp-mcp"] != "program for linux/amd64" {
		t.Error("a program is of another platform")
	}
	given := fmt.Sprint(server["args"])
	for name := range manifest["user_config"].(map[string]any) {
		if !strings.Contains(given, "=${user_config."+name+"}") {
			t.Errorf("%s is a setting but not passed on: %s", name, given)
		}
	}
	var named, listed []string
	for _, tool := range manifest["tools"].([]any) {
		named = append(named, tool.(map[string]any)["name"].(string))
	}
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			listed = append(listed, tool.Name)
		}
	}
	slices.Sort(listed)
	slices.Sort(named)
	if diff := cmp.Diff(listed, named); diff != "" {
		t.Error(diff)
	}

	both, err := macho.NewFatFile(strings.NewReader(content["server/darwin/pdpp-mcp"]))
	if err != nil {
		t.Fatal(err)
	}
	for i, to := range []target{{"darwin", "amd64"}, {"darwin", "arm64"}} {
		arch := both.Arches[i]
		if arch.Offset%(1<<sliceAlignment) != 0 || arch.Align != sliceAlignment {
			t.Errorf("%s begins at %d", to, arch.Offset)
		}
		if got := content["server/darwin/pdpp-mcp"][arch.Offset : arch.Offset+arch.Size]; got != string(e.binaries[to]) {
			t.Errorf("%s is not in the universal program as it was built", to)
		}
	}
}

func TestTheRegistryEntryNamesWhatWasBuilt(t *testing.T) {
	files := assembled(t, sample(t))
	entry := parsed(t, string(files["server.json"].data))
	packages := entry["packages"].([]any)
	bundle := packages[1].(map[string]any)
	if bundle["fileSha256"] != files[bundleName(testVersion)].sha256() {
		t.Error("the entry has another sum of the bundle")
	}
	if want := "https://github.com/pdp-connect/pdpp-mcp/releases/download/v1.2.3-rc.1/pdpp-mcp_1.2.3-rc.1.mcpb"; bundle["identifier"] != want {
		t.Errorf("the bundle is at %v, want %s", bundle["identifier"], want)
	}
	if entry["version"] != testVersion || packages[0].(map[string]any)["version"] != testVersion {
		t.Error("another version")
	}
	if len(description) > 100 {
		t.Errorf("the description has %d characters; the registry accepts 100", len(description))
	}
}

func TestTheFormulaNamesTheArchivesOfMacOSAndLinux(t *testing.T) {
	files := assembled(t, sample(t))
	found := regexp.MustCompile(`url "([^"]+)"\n +sha256 "([0-9a-f]+)"`).FindAllStringSubmatch(string(files["pdpp-mcp.rb"].data), -1)
	if len(found) != 4 {
		t.Fatalf("%d archives", len(found))
	}
	for _, pair := range found {
		archive, exists := files[pair[1][strings.LastIndex(pair[1], "/")+1:]]
		if !exists || archive.sha256() != pair[2] {
			t.Errorf("%s is not in the release, or has another sum", pair[1])
		}
	}
}

func TestVersions(t *testing.T) {
	for _, row := range []struct {
		version string
		fits    bool
	}{
		{"1.2.3", true}, {"0.0.0-g0123456", true}, {"1.2.3-4-gabcdef0", true}, {"1.2.3-rc.1", true},
		{"v1.2.3", false}, {"1.2", false}, {"1.2.3+build", false}, {"1.2.3-01", false}, {"", false}, {"1.2.3 ; rm", false}, {"01.2.3", false},
	} {
		if semanticVersion.MatchString(row.version) != row.fits {
			t.Errorf("%q fits: %v", row.version, !row.fits)
		}
	}
}

func TestOnlyAnEarlierReleaseIsRemoved(t *testing.T) {
	folder := t.TempDir()
	precious := filepath.Join(folder, "precious")
	if err := os.WriteFile(precious, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := clearFolder(folder); err == nil {
		t.Error("a folder that no release wrote was accepted")
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error("a file that no release wrote was deleted")
	}
	if err := os.WriteFile(filepath.Join(folder, checksumsName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := clearFolder(folder); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("%d files of the earlier release are left", len(left))
	}
}

func TestTheInstallPageHasTheLinks(t *testing.T) {
	const path = "../docs/install.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), "<!-- links -->\n")
	_, after, ended := strings.Cut(rest, "<!-- end -->\n")
	if !found || !ended {
		t.Fatal("the page has no place for the links")
	}
	var links strings.Builder
	for _, c := range clickables() {
		fmt.Fprintf(&links, "- %s: `%s`\n", c.title, c.link)
	}
	keep(t, path, before+"<!-- links -->\n"+links.String()+"<!-- end -->\n"+after)
}

func keep(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is out of date (make golden): %s", path, diff)
	}
}

func TestTheLinksSayWhatToStart(t *testing.T) {
	start := map[string]any{"command": "npx", "args": []any{"-y", "@pdp-connect/pdpp-mcp", "stdio", "--demo"}}
	got := map[string]any{}
	for _, c := range clickables() {
		link, err := url.Parse(c.link)
		if err != nil {
			t.Fatal(err)
		}
		entry := link.RawQuery
		if link.Scheme == "cursor" {
			decoded, err := base64.StdEncoding.DecodeString(link.Query().Get("config"))
			if err != nil {
				t.Fatal(err)
			}
			got[c.title+" name"], entry = link.Query().Get("name"), string(decoded)
		} else if entry, err = url.PathUnescape(entry); err != nil {
			t.Fatal(err)
		}
		got[c.title] = parsed(t, entry)
	}
	want := map[string]any{
		"Cursor name": "pdpp-demo", "Cursor": start,
		"VS Code": map[string]any{"name": "pdpp-demo", "type": "stdio", "command": start["command"], "args": start["args"]},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// D41, S3-5b: the npm package installs the command pdpp-mcp-server, which accepts the arguments of pdpp-mcp and is the stdio server if it
// gets only flags.
func TestNpmInstallsTheServerCommand(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs Node and a system that runs shell scripts")
	}
	e := sample(t)
	for _, to := range targets {
		e.binaries[to] = []byte("#!/bin/sh\nfor argument; do printf '<%s>' \"$argument\"; done\nexit 7\n")
		if to.os == "darwin" {
			e.binaries[to] = machO(map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[to.arch])
		}
	}
	files := assembled(t, e)
	folder := t.TempDir()
	platform, arch := target{runtime.GOOS, runtime.GOARCH}.node()
	install := func(name string) string {
		content, _ := unpacked(t, files[strings.NewReplacer("@", "", "/", "-").Replace(name)+"-"+testVersion+".tgz"])
		at := filepath.Join(folder, "node_modules", name)
		for path, text := range content {
			path = filepath.Join(at, strings.TrimPrefix(path, "package/"))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return at
	}
	main := install(npmName)
	program := filepath.Join(install(npmName+"-"+platform+"-"+arch), "bin", target{runtime.GOOS, runtime.GOARCH}.binary())
	if err := os.WriteFile(program, e.binaries[targets[0]], 0o700); err != nil { // on macOS too
		t.Fatal(err)
	}
	manifest, err := os.ReadFile(filepath.Join(main, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	commands := parsed(t, string(manifest))["bin"].(map[string]any)
	for _, row := range []struct {
		command   string
		arguments []string
		want      string
	}{
		{"pdpp-mcp-server", nil, "<stdio>"},
		{"pdpp-mcp-server", []string{"--provider-url", "https://rs.example"}, "<stdio><--provider-url><https://rs.example>"},
		{"pdpp-mcp-server", []string{"stdio", "--demo"}, "<stdio><--demo>"},
		{"pdpp-mcp-server", []string{"call", "search", "q=a b"}, "<call><search><q=a b>"},
		{"pdpp-mcp-server", []string{"--version"}, "<--version>"},
		{"pdpp-mcp-server", []string{"--help"}, "<--help>"},
		{"pdpp-mcp", []string{"--demo"}, "<--demo>"},
	} {
		starter, _ := commands[row.command].(string)
		command := exec.CommandContext(t.Context(), "node", append([]string{filepath.Join(main, starter)}, row.arguments...)...)
		command.Stderr = os.Stderr
		output, err := command.Output()
		if string(output) != row.want || command.ProcessState.ExitCode() != 7 {
			t.Errorf("%s %q starts the program with %s (%v); want %q", row.command, row.arguments, output, err, row.want)
		}
	}
}
