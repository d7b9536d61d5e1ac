package main

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/uuid"
)

// A module is a Go module whose packages a program is built from; Go's standard library is the module std.
type module struct {
	path, version, folder string
	uses                  []string // paths of other modules, of which its packages import some
}

// purl returns the package URL of the module, whose path is in lower case there.
func (m module) purl() string {
	return "pkg:golang/" + strings.ToLower(m.path) + "@" + strings.ReplaceAll(m.version, "+", "%2B")
}

// listModules returns the modules that the programs for some targets are built from, by path. folder holds the sources.
func listModules(ctx context.Context, folder string, targets []target) ([]module, error) {
	found := map[string]module{}
	for _, t := range targets {
		listed, err := goTool(ctx, folder, t, "list", "-deps", "-f",
			`{{.ImportPath}} {{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{else}}std{{end}}`+"\t"+`{{join .Imports " "}}`, ".")
		if err != nil {
			return nil, err
		}
		moduleOf := map[string]string{} // of each package; it is listed before those that import it
		for line := range strings.Lines(string(listed)) {
			about, imports, _ := strings.Cut(strings.TrimSpace(line), "\t")
			words := strings.SplitN(about, " ", 4)
			m := found[words[1]]
			m.path, moduleOf[words[0]] = words[1], words[1]
			if len(words) == 4 {
				m.version, m.folder = words[2], words[3]
			}
			for imported := range strings.FieldsSeq(imports) {
				if used := moduleOf[imported]; used != m.path && used != "" && !slices.Contains(m.uses, used) {
					m.uses = append(m.uses, used)
				}
			}
			found[m.path] = m
		}
	}
	toolchain, err := goTool(ctx, folder, targets[0], "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	std := found["std"]
	std.version, std.folder, _ = strings.Cut(strings.TrimSpace(string(toolchain)), "\n")
	std.version = strings.TrimPrefix(std.version, "go")
	found["std"] = std
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.path, b.path) }), nil
}

// billOfMaterials lists the modules that the programs are built from, and which of them uses which, as CycloneDX JSON. It
// depends on the edition alone: its serial number is made of its content.
func (e edition) billOfMaterials([]file) ([]file, error) {
	own := module{path: modulePath, version: "v" + e.version}
	references := map[string]string{own.path: own.purl()}
	for _, m := range e.modules {
		if m.path != own.path {
			references[m.path] = m.purl()
		}
	}
	var components []cyclonedx.Component
	var dependencies []cyclonedx.Dependency
	for _, m := range e.modules {
		uses := []string{}
		for _, used := range m.uses {
			uses = append(uses, references[used])
		}
		slices.Sort(uses)
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: references[m.path], Dependencies: &uses})
		if m.path != own.path {
			components = append(components, cyclonedx.Component{
				BOMRef: m.purl(), Type: cyclonedx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: m.purl(),
			})
		}
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{
		Timestamp: e.date.UTC().Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: own.purl(), Type: cyclonedx.ComponentTypeApplication, Name: name, Version: e.version, Description: description,
			PackageURL: own.purl(), Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: license}}},
		},
	}
	bill.Components, bill.Dependencies = &components, &dependencies
	unnumbered, err := spellBill(bill)
	if err != nil {
		return nil, err
	}
	bill.SerialNumber = uuid.NewSHA1(uuid.NameSpaceURL, unnumbered).URN()
	data, err := spellBill(bill)
	return []file{{name: billName(e.version), data: data}}, err
}

func spellBill(bill *cyclonedx.BOM) ([]byte, error) {
	var out bytes.Buffer
	err := cyclonedx.NewBOMEncoder(&out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cyclonedx.SpecVersion1_6)
	return out.Bytes(), err
}
