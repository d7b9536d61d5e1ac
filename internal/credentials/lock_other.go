//go:build !windows && (!unix || aix || solaris)

package credentials

import (
	"errors"
	"os"
)

// tryLock fails: without a lock a refresh token might be used twice.
func tryLock(*os.File) (bool, error) {
	return false, errors.New("this system has no file locks that this program knows")
}
