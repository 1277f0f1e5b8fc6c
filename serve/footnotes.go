package serve

import "wsfanout/engines"

// footnotes are what a reader of the figures should know of the engine: one of ours is described by its options, any other
// may have a method for it.
func (s *session) footnotes() []string {
	if own, ok := s.engine.(interface{ Footnotes() []string }); ok {
		return own.Footnotes()
	}
	return engines.Notes(s.options)
}
