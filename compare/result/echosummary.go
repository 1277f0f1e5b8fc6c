package result

// Good are the trials without an error.
func (e *Echo) Good() []*EchoTrial {
	good, _ := goodOf(e.Trials, func(t *EchoTrial) string { return t.Error })
	return good
}

// Failures are the errors of the other trials, in their order.
func (e *Echo) Failures() []string {
	_, failures := goodOf(e.Trials, func(t *EchoTrial) string { return t.Error })
	return failures
}

// Values are a number's values, one for each good trial that has it.
func (e *Echo) Values(number func(*EchoTrial) (float64, bool)) []float64 {
	return valuesOf(e.Good(), number)
}

// ServerNs is the CPU of the server for an echo, user and system, nanoseconds.
func (p *EchoPhase) ServerNs() float64 { return p.ServerUserNs + p.ServerSystemNs }

// FleetShare is the fleet's part of all CPU that an echo cost, 0 to 1; ok is false where no CPU was counted.
func (p *EchoPhase) FleetShare() (share float64, ok bool) {
	all := p.ServerNs() + p.FleetNs
	if all <= 0 {
		return 0, false
	}
	return p.FleetNs / all, true
}
