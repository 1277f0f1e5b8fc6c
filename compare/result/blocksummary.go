package result

// Good are the trials without an error.
func (b *Block) Good() []*BlockTrial {
	good, _ := goodOf(b.Trials, func(t *BlockTrial) string { return t.Error })
	return good
}

// Failures are the errors of the other trials, in their order.
func (b *Block) Failures() []string {
	_, failures := goodOf(b.Trials, func(t *BlockTrial) string { return t.Error })
	return failures
}

// Values are a number's values, one for each good trial that has it.
func (b *Block) Values(number func(*BlockTrial) (float64, bool)) []float64 {
	return valuesOf(b.Good(), number)
}

// Baseline is the same engine with nothing that blocks, nil if the file has none.
func (f *File) Baseline(b *Block) *Block {
	for i := range f.Block {
		if base := &f.Block[i]; base.Engine == b.Engine && base.Blocking == 0 {
			return base
		}
	}
	return nil
}

// Kept are the shares of the baseline's echoes that were left, one for each trial in which both were measured: 1 is no fall, 0 is
// nothing left. Both were measured minutes apart at most, so that a slow hour of the machine is in both.
func (b *Block) Kept(baseline *Block) []float64 {
	return b.against(baseline, func(t *BlockTrial) float64 { return t.PerSecond })
}

// Turned are the handlers of the blocking connections per second as shares of the baseline's echoes, paired as Kept is: what the
// blockers had of the machine.
func (b *Block) Turned(baseline *Block) []float64 {
	return b.against(baseline, func(t *BlockTrial) float64 { return t.TurnsPerSecond })
}

func (b *Block) against(baseline *Block, number func(*BlockTrial) float64) []float64 {
	if baseline == nil {
		return nil
	}
	full := map[int]float64{} // by trial
	for _, t := range baseline.Good() {
		full[t.Trial] = t.PerSecond
	}
	return b.Values(func(t *BlockTrial) (float64, bool) { return number(t) / full[t.Trial], full[t.Trial] > 0 })
}

// Unanswered are the echoes that never came, and those that were under way before the window and did not come in it.
func (t *BlockTrial) Unanswered() int64 { return t.Lost + t.Stuck }

// BlockersGone is the most of the blocking connections that the server had closed by the end of a good trial.
func (b *Block) BlockersGone() int {
	most := 0
	for _, t := range b.Good() {
		most = max(most, t.BlockersGone)
	}
	return most
}
