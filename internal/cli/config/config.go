// Package config reads the file of settings that a command may be given.
package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// A Flag names a JSON file of settings. What is typed wins over the file, the file over the environment.
//
// kong's own loader would take an unknown name in silence, and name the value in the error about a wrong one.
type Flag string

// BeforeResolve reads the file for the command that it is given to. Its errors name the file and the setting.
func (Flag) BeforeResolve(context *kong.Context, trace *kong.Path) error {
	path := string(context.FlagValue(trace.Flag).(Flag))
	values, err := readConfig(path)
	if err != nil {
		return fmt.Errorf("--config %s: %w", path, err)
	}
	known := map[string]bool{}
	for _, flag := range context.Selected().Flags {
		known[flag.Name] = true
	}
	for name := range values {
		if !known[name] || name == trace.Flag.Name {
			return fmt.Errorf("--config %s: %q is no setting; the names are those of the flags, without the dashes before them", path, name)
		}
	}
	context.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		return values[flag.Name], nil
	}))
	return nil
}

// readConfig reads a flat JSON object of texts, numbers, booleans and lists of texts. Its errors name what is wrong and show no
// value: one may be a secret.
func readConfig(path string) (map[string]any, error) {
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
		var read any
		if err := json.Unmarshal(value, &read); err != nil {
			return nil, err
		}
		switch typed := read.(type) {
		case bool, float64:
			read = string(value) // as it is written
		case []any: // the form that kong takes for a list that is not to be split at commas
			if slices.ContainsFunc(typed, func(entry any) bool { _, text := entry.(string); return !text }) {
				read = nil
			}
		case map[string]any:
			read = nil
		}
		if read == nil {
			return nil, fmt.Errorf("%q: a text, a number, true, false or a list of texts is needed", name)
		}
		values[name] = read
	}
	return values, nil
}
