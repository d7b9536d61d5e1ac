// Package config sets flags that the command line does not set from a settings file and from the environment.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// environment is the annotation of a flag that has the name of its environment variable.
const environment = "environment"

// Environment assigns a variable to each named flag, the prefix and the flag's name in capitals, and adds it to the flag's help.
func Environment(flags *pflag.FlagSet, prefix string, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		variable := prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		_ = flags.SetAnnotation(name, environment, []string{variable})
		f.Usage += " ($" + variable + ")"
	}
}

// Variable returns the name of a flag's environment variable, or "" if it has none.
func Variable(f *pflag.Flag) string { return strings.Join(f.Annotations[environment], "") }

// Fill sets flags that the command line does not set, from the file that --config names or else from the environment. Only flags with a
// variable can be set in the file. An empty variable counts as not set. Errors about the file name it and the setting.
func Fill(flags *pflag.FlagSet, getenv func(string) string) (err error) {
	var path string
	var values map[string]any
	if file := flags.Lookup("config"); file != nil {
		if !file.Changed {
			err = flags.Set(file.Name, getenv(Variable(file)))
		}
		if path = file.Value.String(); path != "" && err == nil {
			data, err := credentials.ReadSettings(path)
			if err != nil {
				return fmt.Errorf("--config: %w", err)
			}
			if values, err = parse(data, flags); err != nil {
				return fmt.Errorf("--config %s: %w", path, err)
			}
		}
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || err != nil || Variable(f) == "" {
			return
		}
		from, value := path, values[f.Name]
		if text := getenv(Variable(f)); value == nil && text != "" {
			from, value = Variable(f), text
		}
		switch value := value.(type) {
		case string:
			err = flags.Set(f.Name, value)
		case []string: // not split at commas
			if list, ok := f.Value.(interface{ Replace(texts []string) error }); ok {
				err = list.Replace(value)
			} else {
				err = fmt.Errorf("--%s: one value is needed, not a list", f.Name)
			}
		}
		if err != nil {
			err = fmt.Errorf("%w (from %s)", Wrong(err), from)
		}
	})
	return err
}

// kinds describes an invalid value by the type of its flag. The values of other types return their own error message.
var kinds = map[string]string{
	"int": "not a whole number", "int64": "not a whole number", "float64": "not a number", "duration": "not a duration, such as 40s or 1m30s",
	"bool": "neither true nor false", "boolfunc": "neither true nor false",
}

// Wrong rewords pflag's error about an invalid value. It returns any other error unchanged.
func Wrong(err error) error {
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return err
	}
	f := wrong.GetFlag()
	if kind := kinds[f.Value.Type()]; kind != "" {
		return fmt.Errorf("--%s: %q is %s", f.Name, wrong.GetValue(), kind)
	}
	return fmt.Errorf("--%s %w", f.Name, wrong.Unwrap())
}

// parse reads a flat JSON object of strings, numbers, booleans and lists of strings, named like the flags that have a variable. It
// returns a list as []string and any other value as a string. Its errors show no values, which may be secret.
func parse(data []byte, flags *pflag.FlagSet) (map[string]any, error) {
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &raw); err != nil || raw == nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("not JSON: %w, after %d bytes", syntax, syntax.Offset)
		}
		return nil, errors.New("not a JSON object of settings")
	}
	values := map[string]any{}
	for name, value := range raw {
		if f := flags.Lookup(name); f == nil || Variable(f) == "" || name == "config" {
			return nil, fmt.Errorf("%q is not a setting; settings are named as the flags are, without the leading dashes", name)
		}
		var read any
		_ = json.Unmarshal(value, &read) // valid, because it is part of a parsed object
		switch read := read.(type) {
		case string:
			values[name] = read
		case bool, float64:
			values[name] = string(value) // as written in the file
		case []any:
			list := make([]string, 0, len(read))
			for _, entry := range read {
				if text, ok := entry.(string); ok {
					list = append(list, text)
				}
			}
			if len(list) == len(read) {
				values[name] = list
			}
		}
		if values[name] == nil {
			return nil, fmt.Errorf("%q: a text, a number, true, false or a list of texts is needed", name)
		}
	}
	return values, nil
}
