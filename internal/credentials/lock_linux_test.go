package credentials

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
)

// Another user who creates the folder of a cache root at the moment when it is locked does not get a credential there.
func TestAFolderThatAnotherUserCreatesMeanwhileIsNotUsed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	shared := t.TempDir()
	for _, folder := range []string{filepath.Dir(shared), shared} {
		if err := os.Chmod(folder, 0o777|os.ModeSticky); err != nil {
			t.Fatal(err)
		}
	}
	const other = 1002
	var round atomic.Int64
	root := func() string { return filepath.Join(shared, strconv.FormatInt(round.Load(), 10)) }
	go func() {
		runtime.LockOSThread() // the thread ends with this goroutine, and its user with it
		_, _, _ = syscall.RawSyscall(syscall.SYS_SETFSUID, other, 0, 0)
		for t.Context().Err() == nil {
			_ = os.MkdirAll(filepath.Join(root(), "clients"), 0o777)
		}
	}()
	for range 200 {
		round.Add(1)
		unlock, err := Lock(t.Context(), filepath.Join(root(), "clients", "rs.example.json"))
		if err != nil {
			continue
		}
		info, err := os.Stat(root())
		unlock()
		if err != nil {
			t.Fatal(err)
		}
		if owner, _ := ownerOf(info); owner == other {
			t.Fatalf("round %d uses a folder of another user", round.Load())
		}
	}
}
