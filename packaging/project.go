package main

// The facts about the program that every package repeats.
const (
	name        = "pdpp-mcp"
	displayName = "PDPP personal data"
	// description is at most 100 characters: the MCP registry's limit.
	description = "Lets an assistant read a person's own data from a PDPP resource server, read-only."
	author      = "PDP Connect"
	license     = "Apache-2.0"
	repository  = "https://github.com/pdp-connect/pdpp-mcp"
	modulePath  = "github.com/pdp-connect/pdpp-mcp"
	// registryName is the program's name in the MCP registry; the npm package repeats it as proof of ownership.
	registryName = "io.github.pdp-connect/pdpp-mcp"
	npmName      = "@pdp-connect/pdpp-mcp"
	// serverCommand is the second command of the npm package: the stdio server under the name in existing client settings (D41).
	serverCommand = "pdpp-mcp-server"
)

var keywords = []string{"mcp", "pdpp", "personal-data", "read-only"}

// project has the same facts for templates.
var project = object{
	"name": name, "title": displayName, "description": description, "author": author, "license": license, "repository": repository,
	"registryName": registryName, "npmName": npmName, "keywords": keywords,
	"providerDescription": "The address that 'pdpp-mcp connect' connected on this machine, such as https://rs.example",
}

// A target is an operating system and a processor, as GOOS and GOARCH.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"},
	{"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string { return t.os + "/" + t.arch }

func (t target) binary() string {
	if t.os == "windows" {
		return name + ".exe"
	}
	return name
}

// node returns a target as Node's process.platform and process.arch.
func (t target) node() (platform, arch string) {
	platform, arch = t.os, t.arch
	if platform == "windows" {
		platform = "win32"
	}
	if arch == "amd64" {
		arch = "x64"
	}
	return platform, arch
}

// The flags of every build. deploy/Dockerfile uses the same ones, so that its binary equals the one in the archive.
var buildFlags = []string{"-trimpath", "-buildvcs=false"}

func linkerFlags(version string) string { return "-s -w -buildid= -X main.version=" + version }

// The environment of every build. It overrides settings of the machine that would change the program.
var buildEnvironment = []string{"CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOWORK=off", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0"}

// documentNames are the files that accompany the program in every archive, besides the licenses of its modules.
var documentNames = []string{"LICENSE", "README.md", "CHANGELOG.md"}

const (
	licensesName  = "THIRD_PARTY_LICENSES.txt"
	checksumsName = "SHA256SUMS"
)

func archiveName(t target, version string) string {
	extension := ".tar.gz"
	if t.os == "windows" {
		extension = ".zip"
	}
	return name + "_" + version + "_" + t.os + "_" + t.arch + extension
}

func billName(version string) string { return name + "_" + version + ".cdx.json" }

func bundleName(version string) string { return name + "_" + version + ".mcpb" }

func published(version, file string) string {
	return repository + "/releases/download/v" + version + "/" + file
}
