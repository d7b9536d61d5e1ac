package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// The subjects.
const (
	theStub    = "stub"
	bareOne    = "bare"
	sdkLegacy  = "sdk-2025"
	sdkModern  = "sdk-2026"
	oursLegacy = "ours-2025"
	oursModern = "ours-2026"
	oursStdio  = "ours-stdio"
)

func subjectNames() []string {
	return []string{theStub, bareOne, sdkLegacy, sdkModern, oursLegacy, oursModern, oursStdio}
}

// A field is everything that is measured, running.
type field struct {
	children
	program   string // the built one
	stub      string // its URL
	cacheRoot string
	served    product
	idle      float64 // bytes of memory that the served one takes before its first call
	subjects  []subject
}

// startAll builds the program and starts every process.
func startAll(ctx context.Context, dir string) (*field, error) {
	f := &field{children: children{ctx, dir}}
	var err error
	if f.program, err = build(ctx, dir); err != nil {
		return nil, err
	}
	stubAt, stubProcess, err := f.role("stub", "")
	if err != nil {
		return nil, err
	}
	f.stub = stubAt.URL
	if f.served, err = f.serve(f.program, f.stub); err != nil {
		return nil, err
	}
	f.idle = f.served.memory("VmRSS")
	if err := f.writeTools(); err != nil {
		return nil, err
	}
	bareAt, bareProcess, err := f.role("bare", f.stub)
	if err != nil {
		return nil, err
	}
	sdkAt, sdkProcess, err := f.role("sdk", f.stub)
	if err != nil {
		return nil, err
	}
	if f.cacheRoot, err = f.credential(f.stub); err != nil {
		return nil, err
	}
	piped, err := f.stdio(f.program, f.stub, f.cacheRoot)
	if err != nil {
		return nil, err
	}
	local, err := newSession(piped)
	if err != nil {
		return nil, err
	}
	f.subjects = []subject{
		f.itself(stubProcess),
		f.overHTTP(bareOne, legacy, bareAt.URL, bareProcess),
		f.overHTTP(sdkLegacy, legacy, sdkAt.URL, sdkProcess),
		f.overHTTP(sdkModern, modern, sdkAt.URL, sdkProcess),
		f.overHTTP(oursLegacy, legacy, f.served.url, f.served.process),
		f.overHTTP(oursModern, modern, f.served.url, f.served.process),
		{
			name: oursStdio, process: piped.process, whole: workload.checkWhole,
			newCaller: func(w workload, _ int) (caller, error) { return local.newCaller(w), nil },
		},
	}
	return f, nil
}

// itself is the stub, asked directly.
func (f *field) itself(p process) subject {
	transport := newTransport()
	return subject{
		name: theStub, process: p,
		newCaller: func(w workload, client int) (caller, error) { return newGet(f.ctx, transport, f.stub, w, client) },
		whole: func(w workload, answer []byte) error {
			if !strings.Contains(string(answer), w.holds) {
				return fmt.Errorf("no %q in it", w.holds)
			}
			return nil
		},
	}
}

func (f *field) overHTTP(name, era, base string, p process) subject {
	transport := newTransport()
	return subject{
		name: name, process: p, whole: workload.checkWhole,
		newCaller: func(w workload, client int) (caller, error) {
			return newPost(f.ctx, transport, base, era, w, client)
		},
	}
}

// writeTools asks the product for its tools, so that the floors list the same.
func (f *field) writeTools() error {
	list := workload{name: "tools-list", holds: "query_records"}
	c, err := newPost(f.ctx, newTransport(), f.served.url, legacy, list, 0)
	if err != nil {
		return err
	}
	answer, err := c.call()
	if err == nil {
		err = list.checkWhole(answer)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("tools/list: %w: %.300s", err, answer), f.served.lastWords())
	}
	return os.WriteFile(f.toolsFile(), answer, 0o600)
}

// named is one of the subjects.
func (f *field) named(name string) (subject, error) {
	for _, s := range f.subjects {
		if s.name == name {
			return s, nil
		}
	}
	return subject{}, fmt.Errorf("no subject %q", name)
}
