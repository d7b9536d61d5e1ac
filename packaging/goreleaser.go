package main

import "strings"

// goreleaserConfig is .goreleaser.yaml, for those who publish with GoReleaser: the same builds, archives and checksums
// as a release here has.
func goreleaserConfig() string {
	var out strings.Builder
	line := func(text string) { out.WriteString(text + "\n") }
	list := func(indent string, items ...string) {
		for _, item := range items {
			line(indent + "- " + item)
		}
	}
	values := func(of func(target) string) []string {
		var found []string
		for _, t := range targets {
			if value := of(t); len(found) == 0 || !strings.Contains(" "+strings.Join(found, " ")+" ", " "+value+" ") {
				found = append(found, value)
			}
		}
		return found
	}
	line("# Written from packaging/project.go by make golden: change that. What GoReleaser does not make, make release does.")
	line("version: 2")
	line("project_name: " + name)
	line("dist: bin/goreleaser")
	line("before:")
	line("  hooks:")
	list("    ", "go run ./packaging -licenses bin/"+licensesName)
	line("builds:")
	line("  - main: .")
	line("    binary: " + name)
	line("    env:")
	list("      ", buildEnvironment...)
	line("    goos:")
	list("      ", values(func(t target) string { return t.os })...)
	line("    goarch:")
	list("      ", values(func(t target) string { return t.arch })...)
	line("    flags:")
	list("      ", buildFlags...)
	line("    ldflags:")
	list("      ", `"`+linkerFlags("{{ .Version }}")+`"`)
	line(`    mod_timestamp: "{{ .CommitTimestamp }}"`)
	line("archives:")
	line("  - formats: [tar.gz]")
	line("    format_overrides:")
	line("      - goos: windows")
	line("        formats: [zip]")
	line(`    name_template: "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}"`)
	line("    files:")
	list("      ", documentNames...)
	line("      - src: bin/" + licensesName)
	line("        strip_parent: true")
	line("checksum:")
	line("  name_template: " + checksumsName)
	line("  algorithm: sha256")
	owner, project, _ := strings.Cut(strings.TrimPrefix(repository, "https://github.com/"), "/")
	line("release:")
	line("  github:")
	line("    owner: " + owner)
	line("    name: " + project)
	return out.String()
}
