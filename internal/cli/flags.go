package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// commas are a list whose entries commas divide; each use of its flag adds some. Nothing else has a meaning in them: pflag's own lists are
// CSV, and take the first line alone.
type commas []string

// Set adds what a text lists.
func (c *commas) Set(text string) error {
	if text != "" {
		*c = append(*c, strings.Split(text, ",")...)
	}
	return nil
}

// Replace sets entries as they are.
func (c *commas) Replace(texts []string) error {
	*c = texts
	return nil
}

// String lists the entries.
func (c *commas) String() string { return strings.Join(*c, ",") }

// Type tells shells that the flag can be repeated.
func (c *commas) Type() string { return "stringSlice" }

// A checked value is looked at, and made what it should be, before it is set.
type checked struct {
	pflag.Value
	look func(text string) (string, error)
}

// Set sets what the look makes of a text.
func (c checked) Set(text string) error {
	text, err := c.look(text)
	if err != nil {
		return err
	}
	return c.Value.Set(text)
}

// check has the values of flags looked at. The error of a look goes on after the flag's name.
func check(flags *pflag.FlagSet, look func(text string) (string, error), names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		f.Value = checked{f.Value, look}
	}
}

// filled refuses a value that says nothing, as a shell's variable that is not set makes it: it would ask for all that there is.
func filled(text string) (string, error) {
	if strings.Trim(text, ", \t") == "" {
		return "", errors.New("is empty: leave it out, or give it a value")
	}
	return text, nil
}

// given empties a value that is the name of a setting as a bundle's manifest spells it, such as "${user_config.data}": it was left blank.
func given(text string) (string, error) {
	if strings.HasPrefix(text, "${user_config.") {
		return "", nil
	}
	return text, nil
}

// absolute is a path that is found from any folder.
func absolute(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		return filepath.Join(home, rest), err
	}
	if path == "" {
		return "", nil
	}
	return filepath.Abs(path)
}

// paths makes the values of flags absolute.
func paths(flags *pflag.FlagSet, names ...string) { check(flags, absolute, names...) }

// choice lets a flag have some values only.
func choice(flags *pflag.FlagSet, name string, values ...string) {
	check(flags, func(text string) (string, error) {
		if !slices.Contains(values, text) {
			return "", fmt.Errorf("must be one of %s but got %q", strings.Join(values, ", "), text)
		}
		return text, nil
	}, name)
}

// dataVar declares --data, which names one folder or file.
func dataVar(flags *pflag.FlagSet, value *string, usage string) {
	flags.StringVar(value, "data", "", usage+
		"a folder or one file (`PATH`), such as tables, JSON, mail, calendars, notes, documents and exports of services")
	paths(flags, "data")
	check(flags, given, "data")
}

// onOff declares a switch that is on, and --no-NAME, which turns it off.
func onOff(flags *pflag.FlagSet, value *bool, name, usage string) {
	flags.BoolVar(value, name, true, usage)
	flags.BoolFunc("no-"+name, "The opposite of --"+name, func(text string) error {
		off, err := strconv.ParseBool(text)
		if err != nil {
			return err
		}
		return flags.Set(name, strconv.FormatBool(!off))
	})
}

// unclear refuses words that pflag would take without a question. A value that begins with a dash and stands apart from its flag may be the
// next flag, where a value was forgotten. Of several folders the last would win, and the others be dropped.
func unclear(flags *pflag.FlagSet, words []string) error {
	folders := 0
	for i, word := range words {
		if word == "--" {
			break
		}
		name, _, joined := strings.Cut(word, "=")
		f := flags.Lookup(strings.TrimPrefix(name, "--"))
		if f == nil || !strings.HasPrefix(name, "--") {
			continue
		}
		if f.Name == "data" {
			folders++
		}
		if apart := !joined && f.NoOptDefVal == "" && i+1 < len(words); apart && len(words[i+1]) > 1 && words[i+1][0] == '-' {
			return fmt.Errorf("%[1]s: write a value that begins with - behind =, as in %[1]s=%[2]s", name, words[i+1])
		}
	}
	if folders > 1 {
		return errors.New("--data is given more than once: name one folder that holds everything")
	}
	return nil
}
