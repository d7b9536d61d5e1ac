package service_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/service"
)

func TestTheLogKeepsItsLinesInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		log := service.NewLogWriter(&got)
		want := ""
		for i := range 100 {
			line := fmt.Sprintf("line %d\n", i)
			want += line
			fmt.Fprint(log, line)
		}
		log.Drain(time.Second)
		if got.String() != want {
			t.Errorf("got %q; want %q", got.String(), want)
		}
	})
}

// If the reader of the log is stuck, lines are lost but no call waits, not even at the end, and the number of lost lines is logged.
func TestAStuckReaderOfTheLogDelaysNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		log := service.NewLogWriter(writer)
		for i := range 3 * service.HeldLines {
			fmt.Fprintf(log, "line %d\n", i)
		}
		log.Drain(time.Second) // returns after its timeout, although nothing could be written
		read := make(chan string)
		go func() {
			all, _ := io.ReadAll(reader)
			read <- string(all)
		}()
		synctest.Wait()
		_ = writer.Close()
		if all := <-read; !strings.Contains(all, "dropped") || !strings.Contains(all, fmt.Sprintf("line %d\n", 3*service.HeldLines-1)) {
			t.Errorf("the reader that continued got %d bytes: %.200s", len(all), all)
		}
	})
}

// Each line is written without waiting for the next one.
func TestALineOfTheLogDoesNotWaitForTheNext(t *testing.T) {
	reader, writer := io.Pipe()
	t.Cleanup(func() { _ = writer.Close() })
	log := service.NewLogWriter(writer)
	lines := bufio.NewScanner(reader)
	for i := range 100_000 {
		want := fmt.Sprintf("line %d", i)
		fmt.Fprintln(log, want)
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q, want %q", lines.Text(), want)
		}
	}
}

// An empty line does not end the log.
func TestAnEmptyLineIsNotTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		log := service.NewLogWriter(&got)
		_, _ = log.Write(nil)
		fmt.Fprint(log, "line\n")
		log.Drain(time.Second)
		if got.String() != "line\n" {
			t.Errorf("got %q", got.String())
		}
	})
}
