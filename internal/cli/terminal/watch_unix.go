//go:build unix

package terminal

import (
	"context"
	"io"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Watch returns a context that ends with the cause [transport.ErrOutputClosed] when the reader of out closes it, even if nothing
// is written. It works for pipes, sockets and terminals.
func Watch(ctx context.Context, out io.Writer) context.Context {
	file, ok := out.(syscall.Conn)
	if !ok {
		return ctx
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return ctx
	}
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		_ = raw.Control(func(fd uintptr) {
			watched := []unix.PollFd{{Fd: int32(fd)}} // #nosec G115 -- a descriptor; errors and hang-ups are always reported
			for {
				if _, err := unix.Poll(watched, -1); err != unix.EINTR {
					break
				}
			}
			if watched[0].Revents&(unix.POLLERR|unix.POLLHUP|unix.POLLNVAL) != 0 {
				end(transport.ErrOutputClosed)
			}
		})
	}()
	return ctx
}
