package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// A session is a client of the local server: many calls at a time over one pair of pipes.
type session struct {
	local

	writing sync.Mutex

	mu      sync.Mutex
	waiting map[int]*pipeCaller
	next    int
	failed  error
}

// firstID has as many digits as all that follow, so that answers have one length.
const firstID = 1_000_000

// newSession says hello and reads what comes back from then on.
func newSession(l local) (*session, error) {
	s := &session{local: l, waiting: map[int]*pipeCaller{}, next: firstID}
	lines := bufio.NewReaderSize(l.out, 1<<20)
	if err := s.hello(lines); err != nil {
		return nil, err
	}
	go s.deliver(lines)
	return s, nil
}

// hello initializes the session.
func (s *session) hello(lines *bufio.Reader) error {
	if err := sayHello(s.in); err != nil {
		return err
	}
	if err := readHello(lines); err != nil {
		return err
	}
	_, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return err
}

func sayHello(in io.Writer) error {
	_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+legacy+`","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`+"\n")
	return err
}

// readHello waits for the answer to it.
func readHello(lines *bufio.Reader) error {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("stdio ended before it answered: %w", err)
	}
	if !bytes.Contains(line, []byte(`"serverInfo"`)) {
		return fmt.Errorf("stdio answers initialize with %.300s", line)
	}
	return nil
}

// deliver gives each answer to whoever waits for it.
func (s *session) deliver(lines *bufio.Reader) {
	for {
		line, err := readLine(lines)
		var waits *pipeCaller
		if err == nil {
			waits, err = s.whose(line)
		}
		if err != nil {
			s.fail(err)
			return
		}
		waits.answer = append(waits.answer[:0], line...)
		waits.arrived <- struct{}{}
	}
}

// readLine reads to the end of the line; only a line that is longer than the buffer is copied.
func readLine(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	long := bytes.Clone(line)
	rest, err := lines.ReadBytes('\n')
	return append(long, rest...), err
}

// whose finds who waits for an answer.
func (s *session) whose(line []byte) (*pipeCaller, error) {
	const before = `"id":`
	at := bytes.Index(line, []byte(before))
	if at < 0 {
		return nil, fmt.Errorf("a line that answers nothing: %.300s", line)
	}
	digits := line[at+len(before):]
	end := bytes.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	id, err := strconv.Atoi(string(digits[:max(end, 0)]))
	if err != nil {
		return nil, fmt.Errorf("an answer without a number: %.300s", line)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := s.waiting[id]
	delete(s.waiting, id)
	if waits == nil {
		return nil, fmt.Errorf("an answer that nobody waits for: %.300s", line)
	}
	return waits, nil
}

// fail tells all who wait, and all who will.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = fmt.Errorf("stdio: %w", err)
	for _, waits := range s.waiting {
		close(waits.arrived)
	}
	clear(s.waiting)
}

// A pipeCaller sends one call with ever new ids.
type pipeCaller struct {
	session      *session
	before, rest []byte // the message around its id
	message      []byte
	answer       []byte
	arrived      chan struct{}
}

func (s *session) newCaller(w workload) *pipeCaller {
	before, rest, _ := bytes.Cut(w.message(legacy, firstID), []byte(strconv.Itoa(firstID)))
	return &pipeCaller{session: s, before: before, rest: append(rest, '\n'), arrived: make(chan struct{}, 1)}
}

func (c *pipeCaller) call() ([]byte, error) {
	s := c.session
	s.mu.Lock()
	if s.failed != nil {
		s.mu.Unlock()
		return nil, s.failed
	}
	s.next++
	id := s.next
	s.waiting[id] = c
	s.mu.Unlock()
	c.message = append(strconv.AppendInt(append(c.message[:0], c.before...), int64(id), 10), c.rest...)
	s.writing.Lock()
	_, err := s.in.Write(c.message)
	s.writing.Unlock()
	if err != nil {
		return nil, err
	}
	if _, ok := <-c.arrived; !ok {
		return nil, s.failed
	}
	return c.answer, nil
}
