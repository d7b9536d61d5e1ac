package store

import (
	"fmt"
	"path/filepath"
	"testing"
)

// An index that another process is creating is not mistaken for a foreign database, at any stage.
func TestAnIndexBeingCreatedIsNotForeign(t *testing.T) {
	folder := t.TempDir()
	for n := range 100 {
		path := filepath.Join(folder, fmt.Sprint(n, ".db"))
		made := make(chan error)
		go func() {
			s, err := Open(t.Context(), path)
			if err == nil {
				err = s.Close()
			}
			made <- err
		}()
		for waiting := true; waiting; {
			select {
			case err := <-made:
				if err != nil {
					t.Fatal(err)
				}
				waiting = false
			default:
			}
			if err := CheckIndex(t.Context(), path); err != nil {
				t.Fatal(err)
			}
		}
	}
}
