//go:build race

package clientfleet

// The race detector multiplies memory and time: what a client costs says nothing then.
const raceDetector = true
