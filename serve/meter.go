package serve

import "wsfanout/internal/procstat"

// meter splits what the process uses between the strategy's rounds and the bare ones. Whatever happens after a boundary
// belongs to the kind of round that began there, until the next one; a bare round begins only after quiet, so that
// neither pays for the other.
type meter struct {
	last     procstat.Usage
	bare     bool // who pays now
	strategy Spent
	control  Spent
}

func (m *meter) begin() (err error) {
	m.last, err = procstat.Read()
	return err
}

// boundary ends the account of whoever ran and begins one for the next round.
func (m *meter) boundary(bare bool) error {
	if err := m.charge(); err != nil {
		return err
	}
	m.bare = bare
	m.now().Rounds++
	return nil
}

func (m *meter) end() (strategy, bare Spent, err error) {
	err = m.charge()
	return m.strategy, m.control, err
}

func (m *meter) now() *Spent {
	if m.bare {
		return &m.control
	}
	return &m.strategy
}

func (m *meter) charge() error {
	u, err := procstat.Read()
	if err != nil {
		return err
	}
	d, s := u.Sub(m.last), m.now()
	m.last = u
	s.UserNs += d.UserNs
	s.SystemNs += d.SystemNs
	s.Switches += d.Voluntary + d.Involuntary
	s.Involuntary += d.Involuntary
	s.GCPauseNs += d.GCPauseNs
	if !d.WriteCallsOK {
		s.WriteCalls = -1
	} else if s.WriteCalls >= 0 {
		s.WriteCalls += d.WriteCalls
	}
	return nil
}
