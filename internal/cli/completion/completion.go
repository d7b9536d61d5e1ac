// Package completion writes the scripts by which shells complete a command line.
package completion

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are those that Write writes a script for.
var Shells = []string{"bash", "zsh", "fish"}

// A command is what a shell needs to know of one.
type command struct {
	name, help string
	flags      []flag
	words      []string // candidates for its first positional argument
}

type flag struct {
	name, help string
	takesValue bool
	values     []string // candidates; empty means any, files for paths
	isPath     bool
}

// Write writes the script that completes a program's commands, flags and known values in a shell. words are the
// candidates for the first positional argument of commands, by the command's name; false means that there is no such
// shell.
func Write(out io.Writer, model *kong.Application, words map[string][]string, shell string) bool {
	commands := commandsOf(model, words)
	switch shell {
	case "bash":
		bash(out, model.Name, commands)
	case "zsh":
		zsh(out, model.Name, commands)
	case "fish":
		fish(out, model.Name, commands)
	default:
		return false
	}
	return true
}

func commandsOf(model *kong.Application, words map[string][]string) []command {
	var commands []command
	for _, node := range model.Children {
		if node.Hidden {
			continue
		}
		c := command{name: node.Name, help: firstSentence(node.Help), words: words[node.Name]}
		for _, group := range node.AllFlags(true) {
			for _, f := range group {
				one := flag{name: "--" + f.Name, help: firstSentence(f.Help), takesValue: !f.IsBool() && !f.IsCounter(), isPath: f.Tag.Type == "path"}
				if f.Enum != "" {
					one.values = slices.DeleteFunc(strings.Split(f.Enum, ","), func(value string) bool { return value == "" })
				}
				c.flags = append(c.flags, one)
				if f.Tag.Negatable != "" {
					c.flags = append(c.flags, flag{name: "--no-" + f.Name, help: one.help})
				}
			}
		}
		commands = append(commands, c)
	}
	return commands
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

// joined is the names of a list with spaces between.
func joined[T any](list []T, name func(T) string) string {
	var all []string
	for _, one := range list {
		all = append(all, name(one))
	}
	return strings.Join(all, " ")
}

// bash needs nothing but bash itself: it works on version 3, which macOS has.
func bash(out io.Writer, program string, commands []command) {
	function := "_" + strings.ReplaceAll(program, "-", "_")
	fmt.Fprintf(out, "# bash completion of %[1]s. To load it now: source <(%[1]s completion bash)\n", program)
	fmt.Fprintf(out, "%s() {\n", function)
	fmt.Fprint(out, "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words='' files=''\n\tCOMPREPLY=()\n")
	fmt.Fprintf(out, "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '%s --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n", joined(commands, func(c command) string { return c.name }))
	fmt.Fprint(out, "\tcase ${COMP_WORDS[1]} in\n")
	for _, c := range commands {
		fmt.Fprintf(out, "\t%s)\n\t\tcase $before in\n", c.name)
		for _, f := range c.flags {
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(out, "\t\t%s) words='%s' ;;\n", f.name, strings.Join(f.values, " "))
			case f.isPath:
				fmt.Fprintf(out, "\t\t%s) files=yes ;;\n", f.name)
			case f.takesValue:
				fmt.Fprintf(out, "\t\t%s) return ;;\n", f.name)
			}
		}
		fmt.Fprintf(out, "\t\t*) words='%s'\n", joined(c.flags, func(f flag) string { return f.name }))
		if len(c.words) > 0 {
			fmt.Fprintf(out, "\t\t\tif [ \"$COMP_CWORD\" -eq 2 ]; then words=\"%s $words\"; fi\n", strings.Join(c.words, " "))
		}
		fmt.Fprint(out, "\t\t\t;;\n\t\tesac\n\t\t;;\n")
	}
	fmt.Fprint(out, "\tesac\n\tif [ -n \"$files\" ]; then\n\t\tCOMPREPLY=($(compgen -f -- \"$word\"))\n\telse\n\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n\tfi\n}\n")
	fmt.Fprintf(out, "complete -F %s %s\n", function, program)
}

func zsh(out io.Writer, program string, commands []command) {
	function := "_" + strings.ReplaceAll(program, "-", "_")
	fmt.Fprintf(out, "#compdef %[1]s\n# zsh completion of %[1]s. To load it now: source <(%[1]s completion zsh)\n", program)
	fmt.Fprintf(out, "%s() {\n\tlocal -a commands\n\tcommands=(\n", function)
	for _, c := range commands {
		fmt.Fprintf(out, "\t\t'%s:%s'\n", c.name, c.help)
	}
	fmt.Fprint(out, "\t)\n\tif (( CURRENT == 2 )); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n")
	fmt.Fprint(out, "\tlocal command=$words[2]\n\tshift words\n\t(( CURRENT-- ))\n\tcase $command in\n")
	for _, c := range commands {
		fmt.Fprintf(out, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			fmt.Fprintf(out, " \\\n\t\t\t'%s", f.name)
			if f.takesValue {
				fmt.Fprint(out, "=")
			}
			fmt.Fprintf(out, "[%s]", f.help)
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(out, ":value:(%s)", strings.Join(f.values, " "))
			case f.isPath:
				fmt.Fprint(out, ":path:_files")
			case f.takesValue:
				fmt.Fprint(out, ":value: ")
			}
			fmt.Fprint(out, "'")
		}
		if len(c.words) > 0 {
			fmt.Fprintf(out, " \\\n\t\t\t'1:name:(%s)'", strings.Join(c.words, " "))
		}
		fmt.Fprint(out, "\n\t\t;;\n")
	}
	fmt.Fprintf(out, "\tesac\n}\nif [ \"$funcstack[1]\" = %[1]s ]; then\n\t%[1]s \"$@\"\nelse\n\tcompdef %[1]s %[2]s\nfi\n", function, program)
}

func fish(out io.Writer, program string, commands []command) {
	fmt.Fprintf(out, "# fish completion of %[1]s. To load it now: %[1]s completion fish | source\n", program)
	fmt.Fprintf(out, "complete -c %s -f\n", program)
	for _, c := range commands {
		fmt.Fprintf(out, "complete -c %s -n __fish_use_subcommand -a %s -d '%s'\n", program, c.name, c.help)
	}
	for _, c := range commands {
		within := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", program, c.name)
		if len(c.words) > 0 {
			fmt.Fprintf(out, "%s -a '%s'\n", within, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			fmt.Fprintf(out, "%s -l %s -d '%s'", within, strings.TrimPrefix(f.name, "--"), f.help)
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(out, " -x -a '%s'", strings.Join(f.values, " "))
			case f.isPath:
				fmt.Fprint(out, " -r -F")
			case f.takesValue:
				fmt.Fprint(out, " -x")
			}
			fmt.Fprintln(out)
		}
	}
}
