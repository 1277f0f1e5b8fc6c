//go:build !race

package main

func testedEngines() []string { return []string{"gorilla", "nbio"} }
