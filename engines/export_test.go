package engines

// SetMaxBlocking changes from which connection on iomod=mixed uses pollers: tests do not open 10,000.
func SetMaxBlocking(e Engine, n int64) { e.(*nbioEngine).maxBlocking = n }
