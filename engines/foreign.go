package engines

// Foreign is the set-up that an engine of somebody else's is asked for: the compared one, without options of its own.
func Foreign(d Defaults) Options { return equalised("", d) }
