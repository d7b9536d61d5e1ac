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

// commas is a flag value with a list of entries separated by commas. Repeating the flag adds entries. No other character is special;
// pflag's own lists are CSV, and use only the first line.
type commas []string

// Set adds the entries of a text.
func (c *commas) Set(text string) error {
	if text != "" {
		*c = append(*c, strings.Split(text, ",")...)
	}
	return nil
}

// Replace sets the entries without splitting them at commas.
func (c *commas) Replace(texts []string) error {
	*c = texts
	return nil
}

// String lists the entries.
func (c *commas) String() string { return strings.Join(*c, ",") }

// Type tells shells that the flag can be repeated.
func (c *commas) Type() string { return "stringSlice" }

// A checked value validates and converts a text before it is set.
type checked struct {
	pflag.Value
	convert func(text string) (string, error)
}

// Set sets the converted text.
func (c checked) Set(text string) error {
	text, err := c.convert(text)
	if err != nil {
		return err
	}
	return c.Value.Set(text)
}

// check makes flags convert their values. The message of a convert error must continue a sentence that begins with the flag's name.
func check(flags *pflag.FlagSet, convert func(text string) (string, error), names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		f.Value = checked{f.Value, convert}
	}
}

// nonEmpty refuses an empty value, such as from an unset shell variable: it would mean to ask for everything.
func nonEmpty(text string) (string, error) {
	if strings.Trim(text, ", \t") == "" {
		return "", errors.New("is empty: leave it out, or give it a value")
	}
	return text, nil
}

// dropPlaceholder returns "" for a placeholder of a bundle's manifest, such as "${user_config.data}": the user left that setting blank.
func dropPlaceholder(text string) (string, error) {
	if strings.HasPrefix(text, "${user_config.") {
		return "", nil
	}
	return text, nil
}

// absolute returns an absolute path. It expands a leading ~/, and returns "" for "".
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

func paths(flags *pflag.FlagSet, names ...string) { check(flags, absolute, names...) }

func choice(flags *pflag.FlagSet, name string, values ...string) {
	check(flags, func(text string) (string, error) {
		if !slices.Contains(values, text) {
			return "", fmt.Errorf("must be one of %s but got %q", strings.Join(values, ", "), text)
		}
		return text, nil
	}, name)
}

// onOff declares a boolean flag that is true by default, and --no-NAME, which negates it.
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

// rejectAmbiguous refuses words that pflag would silently accept. A separate value that begins with a dash may be the next flag, after a
// forgotten value. If --data is repeated, the last one would silently win.
func rejectAmbiguous(flags *pflag.FlagSet, words []string) error {
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
