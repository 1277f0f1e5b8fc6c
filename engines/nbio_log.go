package engines

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/lesismal/nbio/logging"
)

// errorLog is nbio's logger: errors only, and never to stdout, where nbio's own would write.
type errorLog struct{}

// nbio has one logger for the whole process. The engine made last decides where it writes.
var errorLogTo atomic.Pointer[io.Writer]

func logNbioTo(w io.Writer) {
	if errorLogTo.Swap(&w) == nil {
		logging.SetLogger(errorLog{})
	}
}

func (errorLog) Debug(string, ...any) {}
func (errorLog) Info(string, ...any)  {}
func (errorLog) Warn(string, ...any)  {}

func (errorLog) Error(format string, v ...any) {
	_, _ = fmt.Fprintf(*errorLogTo.Load(), time.Now().Format("2006/01/02 15:04:05")+" nbio: "+format+"\n", v...)
}
