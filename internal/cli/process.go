package cli

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
)

// LastLineWait is how long the process waits at its end for lines of its log that are not read yet.
// A host that stops the program waits a second for its end.
const LastLineWait = 400 * time.Millisecond

// serviceManager is what supervises this process: SIGHUP asks for a reload, and systemd names itself in the
// environment. It is asked for by serve alone; elsewhere SIGHUP ends the process, as a closed terminal should.
func serviceManager() service.Manager {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	watchdog, _ := daemon.SdWatchdogEnabled(false) // ignore an interval that cannot be read
	return service.Manager{
		Reload: reload, Watchdog: watchdog,
		Notify: func(state string) { _, _ = daemon.SdNotify(false, state) }, // without a manager there is nothing to notify
	}
}

// installed is this machine, in which clients are set up, and where this program is installed in it.
func installed(getenv func(string) string) (place clients.Place, program string, notes []string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return place, "", nil, exit.UsageError("the home folder is not known: set HOME.")
	}
	program, notes, err = ownPath()
	return clients.Place{OS: runtime.GOOS, Home: home, Getenv: getenv}, program, notes, err
}

// present are the clients that have a file on a machine.
func present(place clients.Place) []clients.Client {
	return slices.DeleteFunc(clients.All(), func(client clients.Client) bool {
		_, err := os.Stat(client.Path(place)) // of no path there is nothing
		return err != nil
	})
}

// ownPath is where this program is installed, as clients are to start it; see [clients.Program].
func ownPath() (path string, notes []string, err error) {
	executable, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("where this program is installed is not known: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		called = ""
	}
	path, notes = clients.Program(executable, called)
	return path, notes, nil
}
