//go:build !race

package clientfleet

const raceDetector = false
