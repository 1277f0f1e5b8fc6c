// Node's ws as a row of compare: a server that knows nothing but docs/protocol.md.
//
//	compare -strategies seq -engines 'gorilla,node=exec:NODE_PATH=/usr/share/nodejs node examples/node/server.js'
'use strict'
const fs = require('fs')
const http = require('http')
const v8 = require('v8')
const vm = require('vm')
const { setTimeout: sleep, setImmediate: turn } = require('timers/promises')
const { PerformanceObserver } = require('perf_hooks')
const WebSocket = require('ws')

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')
let gcPauseMs = 0
new PerformanceObserver(list => list.getEntries().forEach(e => { gcPauseMs += e.duration })).observe({ entryTypes: ['gc'] })

const now = () => process.hrtime.bigint() // CLOCK_MONOTONIC in ns
const ns = t => Number(t)                 // as JSON; above 104 days of uptime it is right to 2 ns
const owed = c => c.ws.bufferedAmount     // bytes that the kernel has not taken
const frameBytes = payload => payload + (payload < 126 ? 2 : payload < 65536 ? 4 : 10)

let plan, server, stopping = false
let baseline, healthy           // the process at rest: before the first client, with all of them
const clients = new Map()       // number -> {number, ws, handed, marks}
const lost = new Map()          // number -> {why, at}
const announced = new Set()     // extras that said "slow"
let extras = new Map()          // number -> the plan's extra
const apart = i => (plan.apart ?? []).some(s => s.from <= i && i < s.to) // in no round: they ask for the clock
let inbound = 0, phase = null   // phase: what drain needs of the phase before it

// --- clients ---

function admit(request, socket, head) {
  socket.on('error', () => {}) // of one that is refused; ws hears those of the others
  const refuse = (status, text) => socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  const url = new URL(request.url, 'http://server')
  const i = url.searchParams.get('i')
  if (url.pathname !== '/ws') return refuse(404, 'Not Found')
  if (!/^\d{1,7}$/.test(i) || (+i >= plan.clients + extras.size && !apart(+i))) return refuse(400, 'Bad Request')
  if (clients.has(+i)) return refuse(409, 'Conflict')
  sockets.handleUpgrade(request, socket, head, ws => open(+i, ws))
}
const sockets = new WebSocket.Server({ noServer: true, perMessageDeflate: false, clientTracking: false })

function open(number, ws) {
  const c = { number, ws, handed: 0, marks: [], why: null }
  clients.set(number, c)
  lost.delete(number)
  ws._socket.setNoDelay(true)
  ws.on('message', data => {
    const text = data.toString(), asks = apart(number) && /^clock (\d{1,10})$/.exec(text)
    if (asks) ws.send(stamped(CLOCK, +asks[1], 0n, now(), Buffer.alloc(21)), { binary: true })
    else if (extras.has(number) && text === 'slow') announced.add(number)
    else inbound++
  })
  ws.on('error', e => { c.why ??= e.code?.startsWith('WS_ERR') ? 'protocol error' : 'closed by peer' })
  ws.on('close', () => {
    clients.delete(number)
    lost.set(number, { why: c.why ?? 'closed by peer', at: now() })
  })
}

function send(c, payload) {
  c.ws.send(payload, { binary: true })
  c.handed += frameBytes(payload.length)
  if (owed(c) > 0) c.marks.push([now(), c.handed])
}

// The write timeout: a client is closed when some byte has been owed for longer.
function sweep() {
  for (const c of clients.values()) {
    if (c.marks.length === 0) continue
    const taken = c.handed - owed(c), limit = now() - BigInt(plan.write_timeout_ns)
    while (c.marks.length > 0 && c.marks[0][1] <= taken) c.marks.shift()
    if (c.marks.length > 0 && c.marks[0][0] < limit) { c.why ??= 'write timeout'; c.ws.terminate() }
  }
}

// --- what the process uses and holds ---

function heap() {
  const h = v8.getHeapStatistics()
  return h.used_heap_size + h.external_memory
}

function state(collect) {
  if (collect) gc()
  return {
    members: clients.size, goroutines: 0, stack_bytes: 0, heap_bytes: heap(), rss_bytes: process.memoryUsage.rss(),
    fds: fs.readdirSync('/proc/self/fd').length - 1, threads: fs.readdirSync('/proc/self/task').length,
  }
}

function usage() {
  const cpu = process.cpuUsage(), r = process.resourceUsage()
  const calls = /syscw: (\d+)/.exec(fs.readFileSync('/proc/self/io'))
  return {
    user_ns: cpu.user * 1000, system_ns: cpu.system * 1000, involuntary: r.involuntaryContextSwitches, gc_pause_ns: Math.round(gcPauseMs * 1e6),
    switches: r.voluntaryContextSwitches + r.involuntaryContextSwitches, write_calls: +calls[1],
  }
}

// --- rounds ---

function stamped(kind, round, due, start, content) {
  const b = Buffer.from(content)
  b.writeBigInt64LE(start, 0)
  b.writeUInt32LE(round, 8)
  b.writeBigInt64LE(due, 12)
  b[20] = kind
  return b
}
const STRATEGY = 0, WARMUP = 2, FILLER = 3, CLOCK = 4

async function until(due) {
  for (let left; (left = Number(due - now())) > 0;) {
    if (stopping) throw new Error('stopped')
    await (left > 3e6 ? sleep(left / 1e6 - 2) : turn()) // a timer is late by a millisecond: the rest is turns of the loop
  }
}

const inOrder = () => [...clients.values()].filter(c => !apart(c.number)).sort((a, b) => a.number - b.number)
const noteOwed = () => clients.forEach(c => { if (!extras.has(c.number) && !apart(c.number)) phase.owedMax = Math.max(phase.owedMax, owed(c)) })

function broadcast(round, kind) {
  noteOwed()
  const list = inOrder(), start = now()
  phase.starts.push(start)
  const payload = stamped(kind, round.n, BigInt(round.due), start, phase.filling)
  for (const c of list) {
    if (c.ws.readyState === WebSocket.OPEN) { send(c, payload); round.written++ } else round.failed++
  }
  round.start = ns(start)
  round.end = ns(now())
}

// --- the stuck phase ---

// fill hands over filler until a client that has stopped reading owes some of it for 80 ms. Node cannot set SO_SNDBUF, nor
// write what just fits: so that a byte is owed already when the rounds begin.
async function fill(w) {
  for (let full = 0, before = -1; full < 4; await sleep(20)) {
    for (let n = 0; owed(w.c) === 0 && n < 1000; n++) send(w.c, stamped(FILLER, 0, 0n, 0n, Buffer.alloc(1024)))
    full = owed(w.c) > 0 && owed(w.c) === before ? full + 1 : 0
    before = owed(w.c)
  }
  w.r.filled = w.c.handed - w.from - owed(w.c)
}

async function arm(jam) {
  const deadline = now() + 5_000_000_000n
  while ([...extras.keys()].some(i => clients.has(i) && !announced.has(i))) {
    if (now() > deadline) throw new Error('an extra has not announced itself')
    await sleep(1)
  }
  phase.watches = inOrder().filter(c => extras.has(c.number)).map(c => ({
    c, from: c.handed - owed(c), taken: c.handed - owed(c), since: 0n, fill: extras.get(c.number).fill,
    r: { i: c.number, sndbuf: 0, filled: 0, absorbed: 0, handed: 0, jam_at: 0, jam_round: 0, held_max: 0, held: [], queued_max: 0, drops: 0, failed: 0, owed: 0 },
  }))
  phase.heap = heap()
  phase.timer = setInterval(() => phase.watches.forEach(look), 10)
  if (jam === 'fill') await Promise.all(phase.watches.filter(w => w.fill).map(fill))
}

// look is the proof of a jam: a byte stays owed, and nothing is taken meanwhile.
function look(w) {
  const t = now(), bytes = owed(w.c), taken = w.c.handed - bytes, r = w.r
  phase.heapMax = Math.max(phase.heapMax, heap())
  if (!clients.has(r.i)) return
  if (bytes > r.held_max) r.held_max = bytes
  if (r.held.length < 200 && bytes !== (r.held.at(-1)?.[1] ?? 0)) r.held.push([t, bytes])
  if (bytes === 0) w.since = 0n
  else if (w.since === 0n || taken !== w.taken) w.since = t
  else if (r.jam_at === 0 && t - w.since >= phase.jamAfter) {
    r.jam_at = ns(w.since)
    r.jam_round = phase.starts.filter(s => s <= w.since).length
  }
  w.taken = taken
  if (r.jam_at === 0) { r.absorbed = taken - w.from; r.handed = r.absorbed + bytes }
}

function stuckReports() {
  const gone = [...extras.keys()].filter(i => !phase.watches.some(w => w.r.i === i)).map(i => ({ i, gone_before: lost.get(i)?.why ?? 'never connected' }))
  return gone.concat(phase.watches.map(w => {
    w.r.held = w.r.held.map(([t, bytes]) => [ns(t - phase.origin), bytes])
    const gone = lost.get(w.r.i)
    if (gone) { w.r.noticed_by = w.r.evicted_by = gone.why; w.r.noticed_at = w.r.evicted_at = ns(gone.at) }
    else w.r.owed = Math.ceil(owed(w.c) / frameBytes(plan.size_bytes))
    return w.r
  }))
}

// --- the requests ---

const requests = {
  async start(p) {
    if (p.engine) throw new Error(`this program serves its own engine, not ${p.engine}: it is a row by NAME=exec:COMMAND`)
    if (p.strategy !== 'seq' || p.order !== 'fixed') throw new Error(`this server has the strategy seq in fixed order only, not ${p.strategy} in ${p.order} order`)
    if (p.compress || p.cert_pem || p.handler || p.sndbuf) throw new Error('this server has no compression, TLS, handlers or SO_SNDBUF')
    plan = p
    extras = new Map((p.extras ?? []).map(e => [e.i, e]))
    server = http.createServer((_, response) => { response.statusCode = 404; response.end() }).on('upgrade', admit)
    const [, host, port] = /^(.*):(\d+)$/.exec(p.listen)
    await new Promise((resolve, reject) => server.on('error', reject).listen({ host, port: +port, backlog: 4096 }, resolve))
    if (p.write_timeout_ns > 0) setInterval(sweep, Math.max(p.write_timeout_ns / 1e7, 5)).unref()
    baseline = state(true)
    return {
      addr: `${host}:${server.address().port}`, monotonic_ns: ns(now()), gomaxprocs: 1, baseline_fds: baseline.fds,
      baseline_bytes: baseline.heap_bytes, baseline_goroutines: 0,
      footnotes: [`ws ${require('ws/package.json').version} on Node ${process.version}: one thread, writes never block, what the kernel refuses is kept without bound`,
        'memory per client is V8 heap and external memory; stacks and what libuv holds are not in it',
        'SO_SNDBUF cannot be set in Node: a stuck client jams in buffers of the default size'],
    }
  },

  async settle({ members, timeout_ns }) {
    const deadline = now() + BigInt(timeout_ns)
    for (; clients.size < members; await sleep(5)) {
      if (now() > deadline) throw new Error(`${clients.size} of ${members} clients are open`)
    }
    return (healthy = state(true))
  },

  async phase({ kind, jam, rounds, pairs, first, interval_ns }) {
    const d = BigInt(plan.write_timeout_ns) / 2n, half = 500_000_000n
    phase = {
      stuck: kind === 'stuck', before: usage(), inbound, owedMax: 0, rounds, starts: [], watches: [], filling: Buffer.from(plan.filling, 'base64'),
      jamAfter: d > 0n && d < half ? d : half, heap: 0, heapMax: 0,
    }
    if (kind === 'stuck') await arm(jam)
    const begin = phase.origin = now() + 20_000_000n, issued = []
    for (let slot = 0; slot < rounds * (pairs ? 2 : 1); slot++) {
      const due = begin + BigInt(slot) * BigInt(interval_ns)
      const round = { n: first + slot, due: ns(due), start: 0, end: 0, written: 0, queued: 0, dropped: 0, failed: 0 }
      issued.push(round)
      if (pairs && slot % 2 === 1) { round.bare = true; round.discard = 'Node has no way to write to a socket past its stream'; continue }
      await until(due)
      broadcast(round, kind === 'warmup' ? WARMUP : STRATEGY)
    }
    phase.end = now()
    return { rounds: issued }
  },

  async drain({ patience_ns }) {
    const deadline = phase.end + BigInt(patience_ns)
    const waits = w => extras.get(w.r.i).forever && clients.has(w.r.i)
    while (plan.write_timeout_ns > 0 && phase.watches.some(waits) && now() < deadline) await sleep(10)
    clearInterval(phase.timer)
    noteOwed()
    const after = usage(), spent = { rounds: phase.rounds }, none = { rounds: 0 }
    for (const key in after) { spent[key] = after[key] - phase.before[key]; none[key] = 0 }
    const accounts = []
    for (let i = 0; i < plan.clients + extras.size; i++) {
      const c = clients.get(i), why = lost.get(i)?.why
      if (extras.has(i)) continue
      if (c && owed(c) > 0) accounts.push({ i, owed: Math.ceil(owed(c) / frameBytes(plan.size_bytes)) })
      else if (!c && why) accounts.push({ i, lost: why })
    }
    const watched = phase.stuck
    return {
      accounts, strategy: spent, bare: none, inbound: inbound - phase.inbound, owed_bytes_max: phase.owedMax, after: state(false),
      stuck: watched ? stuckReports() : undefined, heap_growth: watched ? Math.max(0, phase.heapMax - phase.heap) : undefined,
    }
  },

  async recover({ within_ns }) {
    const deadline = now() + BigInt(within_ns)
    for (;;) {
      const s = state(false), leaving = [...extras.values()].filter(e => e.forever || !clients.has(e.i)).length
      const r = { members: s.members - (healthy.members - leaving), fds: s.fds - (healthy.fds - leaving), goroutines: 0 }
      if ((r.members === 0 && r.fds === 0) || now() > deadline) return r
      await sleep(20)
    }
  },

  async stop() {
    if (!server) return { members: 0, fds: 0, goroutines: 0 }
    for (const c of clients.values()) { c.why ??= 'server stopped'; c.ws.close(1001) }
    for (const end = now() + 1_000_000_000n; clients.size > 0 && now() < end;) await sleep(5)
    clients.forEach(c => c.ws.terminate())
    await new Promise(resolve => server.close(resolve))
    await sleep(20)
    return { members: clients.size, fds: state(false).fds - baseline.fds, goroutines: 0 }
  },
}

const say = message => process.stdout.write(JSON.stringify(message) + '\n')

async function answer({ do: verb, body }) {
  try {
    if (!requests[verb]) throw new Error(`this server does not know ${JSON.stringify(verb)}`)
    if (!plan && verb !== 'start' && verb !== 'stop') throw new Error(`${verb} before start`)
    const reply = await requests[verb](body ?? {})
    say({ reply: verb, body: reply })
  } catch (e) {
    say({ error: e.message })
  }
  if (verb === 'stop') process.stdin.destroy()
}

let last = Promise.resolve() // requests are answered one after the other; a stop ends a running phase
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  const request = JSON.parse(line)
  if (request.do === 'stop') stopping = true
  last = last.then(() => answer(request))
}).on('close', () => process.exit(0))
