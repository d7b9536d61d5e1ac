package store

import "testing"

// A sum of decimals is exact in decimal.
func TestASumIsDecimal(t *testing.T) {
	tenth, fifth, large := 0.1, 0.2, 6186.5199999999995
	for sum, want := range map[float64]float64{tenth + fifth: 0.3, large: 6186.52, 154.54999999999998: 154.55, -12.5: -12.5, 1e300: 1e300, 0: 0} {
		if got := decimal(sum); got != want {
			t.Errorf("%v is written as %v, want %v", sum, got, want)
		}
	}
}
