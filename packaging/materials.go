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

// A module is a Go module that is linked into the programs. The standard library is the module std.
type module struct {
	path, version, folder string
}

// purl returns the package URL of the module. Package URLs have the path in lower case.
func (m module) purl() string {
	return "pkg:golang/" + strings.ToLower(m.path) + "@" + strings.ReplaceAll(m.version, "+", "%2B")
}

// listModules returns the modules that are linked into the programs for some targets, sorted by path. folder has the sources.
func listModules(ctx context.Context, folder string, targets []target) ([]module, error) {
	found := map[string]module{}
	for _, t := range targets {
		listed, err := goTool(ctx, folder, t, "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}} {{.Dir}}{{end}}", ".")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(listed)) { // empty for packages of the standard library
			if words := strings.SplitN(strings.TrimSpace(line), " ", 3); len(words) == 3 {
				found[words[0]] = module{words[0], words[1], words[2]}
			}
		}
	}
	toolchain, err := goTool(ctx, folder, targets[0], "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	version, root, _ := strings.Cut(strings.TrimSpace(string(toolchain)), "\n")
	found["std"] = module{"std", strings.TrimPrefix(version, "go"), root}
	return slices.SortedFunc(maps.Values(found), func(a, b module) int { return cmp.Compare(a.path, b.path) }), nil
}

// billOfMaterials lists the modules of the programs as CycloneDX JSON. It is reproducible: its serial number is derived from its content.
func (e edition) billOfMaterials([]file) ([]file, error) {
	own := module{path: modulePath, version: "v" + e.version}
	var components []cyclonedx.Component
	for _, m := range e.modules {
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
	bill.Components = &components
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
