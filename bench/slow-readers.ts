/**
 * Memory of a server while clients request the largest list of monitors and do not read it.
 *   npm run bench:slow-readers
 * BENCH_READERS: clients (120). BENCH_BODY: `plain` (about 12 MB per response) or `escaped` (62 MB). BENCH_SECONDS: how long (20).
 */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from './support/children.ts'
import { create, KEY, megabytesOf, pharos, repeat } from './support/processes.ts'
import { setting } from './support/sections.ts'

const READERS = setting('BENCH_READERS', 120)
const SECONDS = setting('BENCH_SECONDS', 20)
const GOAL_MB = 400
/** A control character takes six characters in JSON. */
const character = process.env.BENCH_BODY === 'escaped' ? '\u0001' : 'b'

const largest = {
  name: 'n'.repeat(120),
  type: 'KEYWORD',
  method: 'POST',
  url: `https://example.com/${'u'.repeat(2000)}`,
  keyword: 'k'.repeat(500),
  dnsExpected: 'd'.repeat(2000),
  requestBody: character.repeat(100_000),
  requestHeaders: Object.fromEntries(
    Array.from({ length: 64 }, (_, i) => [`x-${String(i).padStart(3, '0')}`, 'v'.repeat(251)]),
  ),
}

/** Requests the list and reads nothing of it. */
function stall(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write(`GET /api/v1/monitors?limit=100 HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${KEY}\r\n\r\n`)
  return socket
}

using folder = temporaryFolder()
await using server = await pharos(folder.path)
await repeat(100, 1, () => create(server, '/monitors', largest))
process.stdout.write(`${READERS} readers; ${megabytesOf(server.pid, 'VmRSS').toFixed(0)} MB before\n`)
const sockets = Array.from({ length: READERS }, () => stall(server.url))
for (let second = 1; second <= SECONDS; second += 1) {
  await delay(1000)
  if (second % 5 === 0) process.stdout.write(`${second} s: ${megabytesOf(server.pid, 'VmRSS').toFixed(0)} MB\n`)
}
const health = await fetch(`${server.url}/healthz`)
const peak = megabytesOf(server.pid, 'VmHWM')
process.stdout.write(`peak ${peak.toFixed(0)} MB, goal ${GOAL_MB} MB; health ${health.status}\n`)
for (const socket of sockets) socket.destroy()
process.exitCode = peak <= GOAL_MB ? 0 : 1
