// Package completion writes the scripts by which shells complete a command line. Each shell has a template, named as it is.
package completion

import (
	"embed"
	"io"
	"slices"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"
)

// Shells are those that Write writes a script for.
var Shells = []string{"bash", "zsh", "fish"}

//go:embed bash zsh fish
var scripts embed.FS

// A program is what a shell needs to know of one.
type program struct {
	Name     string
	Function string // in the script
	Commands []command
}

type command struct {
	Name, Help string
	Flags      []flag
	Words      []string // candidates for its first positional argument
}

type flag struct {
	Name, Help string // the name without dashes
	TakesValue bool
	Values     []string // candidates; empty means any, files for paths
	IsPath     bool
}

// Write writes the script that completes a program's commands, flags and known values in a shell, which must be one of [Shells]. words
// are the candidates for the first positional argument of commands, by the command's name.
func Write(out io.Writer, model *kong.Application, words map[string][]string, shell string) error {
	all := template.New("").Funcs(template.FuncMap{"join": func(words []string) string { return strings.Join(words, " ") }})
	parsed, err := all.ParseFS(scripts, shell)
	if err != nil {
		return err
	}
	p := program{Name: model.Name, Function: "_" + strings.ReplaceAll(model.Name, "-", "_")}
	for _, node := range model.Children {
		p.Commands = append(p.Commands, command{Name: node.Name, Help: firstSentence(node.Help), Flags: flagsOf(node), Words: words[node.Name]})
	}
	return parsed.ExecuteTemplate(out, shell, p)
}

func flagsOf(node *kong.Node) []flag {
	var flags []flag
	for _, f := range slices.Concat(node.AllFlags(true)...) {
		one := flag{Name: f.Name, Help: firstSentence(f.Help), TakesValue: !f.IsBool() && !f.IsCounter(), IsPath: f.Tag.Type == "path"}
		if f.Enum != "" {
			one.Values = strings.Split(f.Enum, ",")
		}
		flags = append(flags, one)
		if f.Tag.Negatable != "" {
			flags = append(flags, flag{Name: "no-" + f.Name, Help: one.Help})
		}
	}
	return flags
}

// firstSentence is a help text without its example, in letters that need no quoting in any of the shells.
func firstSentence(help string) string {
	help, _, _ = strings.Cut(help, ". ")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("'\"`$\\:[]\n", r) {
			return ' '
		}
		return r
	}, strings.TrimSuffix(help, "."))
}
