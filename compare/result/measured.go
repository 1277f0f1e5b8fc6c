package result

// Over is the median of the values with its interval, which takes IntervalTrials of them; ok is false if there are none.
func Over(values []float64) (s Summary, ok bool) {
	if len(values) == 0 {
		return Summary{}, false
	}
	return summarize(values), true
}

// goodOf are the trials without an error, and the errors of the others, both in their order.
func goodOf[T any](trials []T, failed func(*T) string) (good []*T, failures []string) {
	for i := range trials {
		if why := failed(&trials[i]); why != "" {
			failures = append(failures, why)
		} else {
			good = append(good, &trials[i])
		}
	}
	return good, failures
}

// valuesOf are the numbers of the trials that have them.
func valuesOf[T any](trials []*T, number func(*T) (float64, bool)) []float64 {
	var values []float64
	for _, t := range trials {
		if v, ok := number(t); ok {
			values = append(values, v)
		}
	}
	return values
}
