//go:build unix && !aix && !solaris

package credentials

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock on a file unless another process, or another descriptor of this one, has it.
func tryLock(file *os.File) (bool, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
