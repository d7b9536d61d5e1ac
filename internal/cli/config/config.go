// Package config fills the flags that were not typed, from a file of settings and from the environment.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// environment annotates a flag with the name of its variable.
const environment = "environment"

// Environment gives flags a variable each, the prefix and the flag's name in capitals, and says so in their help.
func Environment(flags *pflag.FlagSet, prefix string, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		variable := prefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		_ = flags.SetAnnotation(name, environment, []string{variable})
		f.Usage += " ($" + variable + ")"
	}
}

// Variable is the variable of the environment that a flag has, "" for none.
func Variable(f *pflag.Flag) string { return strings.Join(f.Annotations[environment], "") }

// Fill gives the flags that were not typed what the file says that --config names, or else the environment. A variable that is empty says
// nothing. What a file can set is what the environment can. Errors about the file name it and the setting.
func Fill(flags *pflag.FlagSet, getenv func(string) string) (err error) {
	var path string
	var values map[string]any
	if file := flags.Lookup("config"); file != nil {
		if !file.Changed {
			err = flags.Set(file.Name, getenv(Variable(file)))
		}
		if path = file.Value.String(); path != "" && err == nil {
			if values, err = readConfig(path, flags); err != nil {
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
				err = fmt.Errorf("--%s: one value is needed, and no list", f.Name)
			}
		}
		if err != nil {
			err = fmt.Errorf("%w (from %s)", Wrong(err), from)
		}
	})
	return err
}

// kinds say what a value is not that a flag of some type cannot have. That of any other flag is refused in a sentence of its own.
var kinds = map[string]string{
	"int": "not a whole number", "int64": "not a whole number", "float64": "not a number", "duration": "not a duration, such as 40s or 1m30s",
	"bool": "neither true nor false", "boolfunc": "neither true nor false",
}

// Wrong says in plain words which value of which flag is wrong. Any other error stays as it is.
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

// readConfig reads a flat JSON object of texts, numbers, booleans and lists of texts, for the flags that have variables; all but the lists
// become texts. Its errors name what is wrong and show no value: one may be a secret.
func readConfig(path string, flags *pflag.FlagSet) (map[string]any, error) {
	data, err := credentials.ReadSettings(path)
	if err != nil {
		return nil, err
	}
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
			return nil, fmt.Errorf("%q is no setting; the names are those of the flags, without the dashes before them", name)
		}
		var read any
		_ = json.Unmarshal(value, &read) // it is JSON
		switch read := read.(type) {
		case string:
			values[name] = read
		case bool, float64:
			values[name] = string(value) // as it is written
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
