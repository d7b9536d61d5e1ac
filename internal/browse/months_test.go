package browse

import "testing"

func TestTheScaleIsRound(t *testing.T) {
	for most, want := range map[int]int{0: 2, 1: 2, 2: 2, 3: 4, 5: 6, 9: 20, 76: 80, 81: 200, 3999: 4000} {
		if got := scaleOf(most); got != want {
			t.Errorf("%d: %d, not %d", most, got, want)
		}
	}
}
