//go:build unix

package rsclient

import (
	"net"
	"syscall"
)

// pending reports whether bytes, or the end, wait to be read from a socket. It does not consume them, nor block a concurrent reader.
func pending(connection net.Conn) bool {
	socket, ok := connection.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false
	}
	waits := false
	err = raw.Control(func(fd uintptr) {
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		waits = err == nil
	})
	return waits || err != nil
}
