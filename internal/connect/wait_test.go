package connect

import (
	"testing"
	"time"
)

func TestATimeIsSpokenAsAPersonExpects(t *testing.T) {
	for d, want := range map[time.Duration]string{
		300 * time.Second: "5 minutes", 299 * time.Second: "5 minutes", 298500 * time.Millisecond: "5 minutes",
		30 * time.Minute: "30 minutes", 2 * time.Minute: "2 minutes", 90 * time.Second: "90 seconds", 60 * time.Second: "60 seconds",
		59 * time.Second: "59 seconds", 5 * time.Second: "5 seconds",
	} {
		if got := spoken(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}
