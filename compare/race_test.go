//go:build race

package main

// The children of a race build are race builds too, and nbio's own code trips the detector: see engines/enginetest.
func testedEngines() []string { return []string{"gorilla"} }
