package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wsfanout/compare/result"
)

// snippets are code to paste, with the recommended times as they are outside of the measurement, each once; and why there is none
// for some of the set-ups, "" if there is one for all.
func (t *tuned) snippets(setups []*result.Tune) (all []snippet, without string) {
	var reasons []string
	for _, s := range setups {
		code, why := t.snippet(s)
		switch {
		case why != "":
			reasons = append(reasons, why)
		case !slices.Contains(all, code):
			all = append(all, code)
		}
	}
	return all, strings.Join(distinct(reasons), "; ")
}

// snippet is that of a set-up, or why it has none.
func (t *tuned) snippet(s *result.Tune) (code snippet, why string) {
	if t.refuted(s) != "" {
		return snippet{}, "none for " + t.nameOf(s) + ", whose set-up did not hold here"
	}
	keepalive, ping := goDuration(t.real(s.KeepaliveNs)), goDuration(t.real(s.PingNs))
	switch engineOf(s) {
	case "nbio":
		return snippet{"Go code for nbio (github.com/lesismal/nbio/nbhttp/websocket):", fmt.Sprintf(nbioCode, keepalive, ping)}, ""
	case "gorilla":
		code := gorillaCode
		if strings.Contains(s.Engine, "refresh=pong") {
			code = gorillaPongCode
		}
		return snippet{"Go code for gorilla (github.com/gorilla/websocket):", fmt.Sprintf(code, keepalive, ping)}, ""
	}
	return snippet{}, engineOf(s) + " has no server of its own: the deadline is yours to set before each read"
}

// goDuration is a constant expression: "27 * time.Second".
func goDuration(d time.Duration) string {
	if d%time.Second == 0 {
		return fmt.Sprintf("%d * time.Second", d/time.Second)
	}
	return fmt.Sprintf("%d * time.Millisecond", d/time.Millisecond)
}

const nbioCode = `var conns sync.Map // the open *websocket.Conn

func newUpgrader() *websocket.Upgrader {
	u := websocket.NewUpgrader()
	u.KeepaliveTime = %s // moved by every message, ping and pong that was read
	u.OnOpen(func(c *websocket.Conn) { conns.Store(c, true) })
	u.OnClose(func(c *websocket.Conn, err error) { conns.Delete(c) })
	u.OnMessage(func(c *websocket.Conn, kind websocket.MessageType, data []byte) {}) // none: no message counts
	return u
}

func pingAll() { // started once, as a goroutine
	for range time.Tick(%s) {
		conns.Range(func(c, _ any) bool {
			c.(*websocket.Conn).WriteMessage(websocket.PingMessage, nil) // a failure ends in OnClose
			return true
		})
	}
}
`

const gorillaHead = `const (
	pongWait   = %s
	pingPeriod = %s
	writeWait  = time.Second
)

`

const gorillaCode = gorillaHead + `func readAll(c *websocket.Conn) error { // the connection's reader
	alive := func() { c.SetReadDeadline(time.Now().Add(pongWait)) }
	alive()
	c.SetPongHandler(func(string) error { alive(); return nil })
	answer := c.PingHandler()
	c.SetPingHandler(func(data string) error { alive(); return answer(data) })
	for {
		_, _, err := c.ReadMessage()
		if err != nil {
			return err
		}
		alive()
	}
}
` + gorillaPings

const gorillaPongCode = gorillaHead + `func readAll(c *websocket.Conn) error { // the connection's reader
	c.SetReadDeadline(time.Now().Add(pongWait))
	c.SetPongHandler(func(string) error { return c.SetReadDeadline(time.Now().Add(pongWait)) })
	for {
		if _, _, err := c.ReadMessage(); err != nil {
			return err
		}
	}
}
` + gorillaPings

const gorillaPings = `
func pings(c *websocket.Conn, done <-chan struct{}) { // a goroutine for each connection
	ticker := time.NewTicker(pingPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			// WriteControl may run beside the connection's writer
			err := c.WriteControl(websocket.PingMessage, nil, time.Now().Add(writeWait))
			if ne, ok := err.(net.Error); ok && ne.Temporary() {
				continue // a message is still being written: the read deadline decides
			}
			if err != nil {
				c.Close()
				return
			}
		}
	}
}
`
