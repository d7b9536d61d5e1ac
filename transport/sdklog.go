package transport

import (
	"context"
	"log/slog"

	"github.com/rs/zerolog"
)

// clientFaults are what the SDK logs as errors although a client's message alone is at fault. Anybody with a good token
// could fill an operator's log with them.
var clientFaults = map[string]bool{
	"method removed in the new protocol":   true,
	"method invalid during initialization": true,
	"initialized before initialize":        true,
	"duplicate initialized notification":   true,
	"duplicate initialize request":         true,
}

// sdkLogger keeps the SDK at warnings, because it writes three lines per request at INFO, and lowers its complaints
// about clients to DEBUG.
func sdkLogger(log zerolog.Logger) *slog.Logger {
	return slog.New(sdkHandler{
		Handler: zerolog.NewSlogHandler(log.Level(max(log.GetLevel(), zerolog.WarnLevel))),
		faults:  zerolog.NewSlogHandler(log),
	})
}

// An sdkHandler passes records on, those of clients' faults at DEBUG to a handler of their own.
type sdkHandler struct {
	slog.Handler
	faults slog.Handler
}

// Handle writes a record.
func (h sdkHandler) Handle(ctx context.Context, record slog.Record) error {
	if !clientFaults[record.Message] {
		return h.Handler.Handle(ctx, record)
	}
	record.Level = slog.LevelDebug
	if !h.faults.Enabled(ctx, record.Level) {
		return nil
	}
	return h.faults.Handle(ctx, record)
}

// WithAttrs keeps the filter around what it returns; so does WithGroup.
func (h sdkHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return sdkHandler{h.Handler.WithAttrs(attributes), h.faults.WithAttrs(attributes)}
}

// WithGroup keeps the filter around what it returns.
func (h sdkHandler) WithGroup(name string) slog.Handler {
	return sdkHandler{h.Handler.WithGroup(name), h.faults.WithGroup(name)}
}
