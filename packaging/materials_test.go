package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-cmp/cmp"
)

func decodeBill(t *testing.T, data []byte) cyclonedx.BOM {
	t.Helper()
	var bill cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	return bill
}

func TestTheBillOfMaterialsOfARelease(t *testing.T) {
	data := assembled(t, sample(t))[billName(testVersion)].data
	bill := decodeBill(t, data)
	if bill.SpecVersion != cyclonedx.SpecVersion1_6 || !regexp.MustCompile(`^urn:uuid:[0-9a-f-]{36}$`).MatchString(bill.SerialNumber) {
		t.Errorf("version %v, serial number %q", bill.SpecVersion, bill.SerialNumber)
	}
	const own = "pkg:golang/github.com/pdp-connect/pdpp-mcp@v1.2.3-rc.1"
	if about := bill.Metadata; about.Component.PackageURL != own || about.Component.Version != testVersion ||
		about.Timestamp != "2026-01-02T03:04:06Z" {
		t.Errorf("%+v of %s", about.Component, about.Timestamp)
	}
	const std, a = "pkg:golang/std@1.26.0", "pkg:golang/example.org/a@v1.0.0"
	var components []string
	for _, c := range *bill.Components {
		components = append(components, c.PackageURL)
	}
	if diff := cmp.Diff([]string{a, std}, components); diff != "" {
		t.Error(diff)
	}
	changed := sample(t)
	changed.modules[0].version = "v1.0.1"
	if decodeBill(t, assembled(t, changed)[billName(testVersion)].data).SerialNumber == bill.SerialNumber {
		t.Error("another bill has the same serial number")
	}
}

// The bill of materials depends on the contents of the build, not on the location of the sources.
func TestTheBillOfMaterialsIsTheSameFromTwoFolders(t *testing.T) {
	elsewhere := filepath.Join(t.TempDir(), "a folder with another name")
	copySources(t, elsewhere)
	var bills [][]byte
	for _, folder := range []string{"..", elsewhere} {
		modules, err := listModules(t.Context(), folder, targets[:1])
		if err != nil {
			t.Fatal(err)
		}
		e := sample(t)
		e.modules = modules
		bill, err := e.billOfMaterials(nil)
		if err != nil {
			t.Fatal(err)
		}
		bills = append(bills, bill[0].data)
	}
	if !bytes.Equal(bills[0], bills[1]) {
		t.Error(cmp.Diff(string(bills[0]), string(bills[1])))
	}
	if strings.Contains(string(bills[0]), filepath.Dir(elsewhere)) {
		t.Error("the bill of materials contains a path of this machine")
	}

	required, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	bill := decodeBill(t, bills[0])
	found := 0
	for _, component := range *bill.Components {
		if component.Name == "std" {
			continue
		}
		if found++; !strings.Contains(string(required), "\t"+component.Name+" "+component.Version) {
			t.Errorf("%s %s is not in go.mod", component.Name, component.Version)
		}
	}
	for _, name := range []string{"github.com/modelcontextprotocol/go-sdk", "github.com/justinas/alice", "github.com/rs/zerolog", "github.com/hashicorp/go-retryablehttp"} {
		if !slices.ContainsFunc(*bill.Components, func(c cyclonedx.Component) bool { return c.Name == name }) {
			t.Errorf("%s is missing among %d modules", name, found)
		}
	}
	if slices.ContainsFunc(*bill.Components, func(c cyclonedx.Component) bool { return strings.HasPrefix(c.Name, "github.com/CycloneDX") }) {
		t.Error("a module that only packaging uses is in the bill")
	}
}

// copySources copies this repository's files to a folder, without files added by tools.
func copySources(t *testing.T, to string) {
	t.Helper()
	from := os.DirFS("..")
	err := fs.WalkDir(from, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules"}, entry.Name()):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, path), 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := fs.ReadFile(from, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
