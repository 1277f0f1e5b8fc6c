package engines

func gorillaNotes(o *Options) []string { return nil }
func nbioNotes(o *Options) []string    { return nil }
