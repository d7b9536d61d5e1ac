package rsclient

import "sync"

// PerCaller has a value for each key that is in use, such as a semaphore for each caller with a request under way. It is safe for
// concurrent use.
type PerCaller[K comparable, V any] struct {
	Make func(K) V // makes the value of a key that comes into use

	mu     sync.Mutex
	values map[K]*inUse[V]
}

type inUse[V any] struct {
	value V
	users int
}

// Enter returns the value of a key, which stays the same until the last user has called Leave.
func (p *PerCaller[K, V]) Enter(key K) *V {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := p.values[key]
	if used == nil {
		if p.values == nil {
			p.values = map[K]*inUse[V]{}
		}
		used = &inUse[V]{value: p.Make(key)}
		p.values[key] = used
	}
	used.users++
	return &used.value
}

// Leave ends one use of a key.
func (p *PerCaller[K, V]) Leave(key K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := p.values[key]
	if used.users--; used.users == 0 {
		delete(p.values, key)
	}
}
