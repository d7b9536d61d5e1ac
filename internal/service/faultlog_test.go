package service

import (
	"bytes"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// However much libraries log, the log contains none of their text and few lines.
func TestTheTextOfLibrariesIsNotLogged(t *testing.T) {
	var out bytes.Buffer
	faults := NewFaultLog(&out)
	for range 1000 {
		if n, err := faults.Write([]byte("Unsolicited response starting with secret")); n != 41 || err != nil {
			t.Fatal(n, err)
		}
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	var last struct {
		Count   int    `json:"count"`
		Message string `json:"message"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 10 || last.Count != 512 || last.Message != libraryFault || strings.Contains(out.String(), "secret") {
		t.Errorf("%d lines, the last %+v", len(lines), last)
	}
}

// The program's HTTP servers log nothing of a request or a panic.
func TestAServerLogsNothingOfAPanic(t *testing.T) {
	var out bytes.Buffer
	before := log.Writer()
	log.SetOutput(NewFaultLog(&out))
	server := httptest.NewUnstartedServer(nil)
	server.Config = NewHTTPServer("", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
	server.Start()
	connection, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(connection, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	_, _ = io.ReadAll(connection) // the server closes it after it logged the panic
	_ = connection.Close()
	server.Close()
	log.SetOutput(before)
	if got := out.String(); strings.Contains(got, "secret") || !strings.Contains(got, libraryFault) {
		t.Errorf("logged: %s", got)
	}
}
