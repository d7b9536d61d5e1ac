//go:build race

package importer

// raceDetector is true if sync.Pool drops items at random, so that regular expressions allocate again.
const raceDetector = true
