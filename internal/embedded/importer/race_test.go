//go:build race

package importer

// raceDetector drops a part of what expressions keep in their pools, so that they take their memory anew.
const raceDetector = true
