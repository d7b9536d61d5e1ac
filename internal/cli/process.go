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

// LastLineWait is how long the process waits at its end for the reader of its log, and stdio before that for the collector of its spans.
// A host waits only one second for the program to end.
const LastLineWait = 400 * time.Millisecond

// serviceManager returns the supervisor of this process: SIGHUP asks for a reload, and the environment names systemd's notification socket.
// Only serve calls it; in other commands SIGHUP ends the process, as when a terminal is closed.
func serviceManager() service.Manager {
	reload := make(chan os.Signal, 1)
	signal.Notify(reload, syscall.SIGHUP)
	watchdog, _ := daemon.SdWatchdogEnabled(false) // ignore an invalid interval
	return service.Manager{
		Reload: reload, Watchdog: watchdog,
		Notify: func(state string) { _, _ = daemon.SdNotify(false, state) }, // without a manager there is nothing to notify
	}
}

// thisMachine returns the machine on which clients are set up, and the path of this program with notes about it; see [clients.Program].
func thisMachine(getenv func(string) string) (place clients.Place, program string, notes []string, err error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return place, "", nil, exit.UsageError("the home folder is unknown: set HOME.")
	}
	program, notes, err = ownPath()
	return clients.Place{OS: runtime.GOOS, Home: home, Getenv: getenv}, program, notes, err
}

// foundClients returns the clients whose configuration file is on this machine.
func foundClients(place clients.Place) []clients.Client {
	return slices.DeleteFunc(clients.All(), func(client clients.Client) bool {
		_, err := os.Stat(client.Path(place)) // fails for a client without a path
		return err != nil
	})
}

// ownPath returns the path with which clients should start this program; see [clients.Program].
func ownPath() (path string, notes []string, err error) {
	executable, err := os.Executable()
	if err != nil {
		return "", nil, fmt.Errorf("the path of this program is unknown: %w", err)
	}
	called, err := exec.LookPath(os.Args[0])
	if err != nil {
		called = ""
	}
	path, notes = clients.Program(executable, called)
	return path, notes, nil
}
