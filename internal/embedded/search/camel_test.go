package search

import (
	"slices"
	"testing"
)

// A value that programs write in capitals without spaces, such as StepCount, is also found by its words.
func TestAValueInCapitalsIsFoundByItsWords(t *testing.T) {
	for text, want := range map[string][]string{
		"StepCount":                      {"stepcount", "step", "count"},
		"HKQuantityTypeRestingHeartRate": {"hkquantitytyperestingheartrate", "hkquantity", "type", "resting", "heart", "rate"},
		"sleepAnalysis":                  {"sleepanalysis", "sleep", "analysis"},
		"SchlafLänge":                    {"schlaflange", "schlaf", "lange"},
		"iPhone":                         {"iphone"},
		"dQw4w9WgXcQ":                    {"dqw4w9wgxcq"},
		"the StepCount":                  {"the", "stepcount"},
		"USA":                            {"usa"},
	} {
		if got := textsOf(Terms(text)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
