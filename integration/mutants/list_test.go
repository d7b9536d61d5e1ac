package main

import (
	"slices"
	"strings"
	"testing"
)

const source = `package p

func f(a, b int) error {
	defer g()
	if a < b && a != 7 {
		g()
	}
	if _, err := open("true"); err == nil {
		return err
	}
	for ok := true; ok; ok = a >= 0x10 {}
	return nil
}
`

// Each change with the line that it makes.
func TestEveryChangeOfASmallSourceIsListed(t *testing.T) {
	changes, err := list("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range changes {
		lines := strings.Split(string(c.apply()), "\n")
		got = append(got, c.String()+" | "+strings.TrimSpace(lines[c.line-1]))
	}
	want := []string{
		"p.go:5 a < b && a != 7 → !(a < b && a != 7) | if !(a < b && a != 7) {",
		"p.go:5 < → <= | if a <= b && a != 7 {",
		"p.go:5 && → || | if a < b || a != 7 {",
		"p.go:5 != → == | if a < b && a == 7 {",
		"p.go:5 7 → 8 | if a < b && a != 8 {",
		"p.go:5 7 → 6 | if a < b && a != 6 {",
		"p.go:6 removed g() | ",
		"p.go:8 == → != | if _, err := open(\"true\"); err != nil {",
		"p.go:9 return err → return nil | return nil",
		"p.go:11 true → false | for ok := false; ok; ok = a >= 0x10 {}",
		"p.go:11 >= → > | for ok := true; ok; ok = a > 0x10 {}",
		"p.go:11 0x10 → 17 | for ok := true; ok; ok = a >= 17 {}",
		"p.go:11 0x10 → 15 | for ok := true; ok; ok = a >= 15 {}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
