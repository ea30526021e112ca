/**
 * Memory of a server while clients request the largest list of monitors and do not read it.
 *   npm run bench:slow-readers
 * BENCH_READERS: clients (120). BENCH_BODY: `plain` (about 12 MB per response) or `escaped` (62 MB). BENCH_SECONDS: how long (20).
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { KEY, pharos } from './support/processes.ts'

const READERS = Number(process.env.BENCH_READERS ?? 120)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 20)
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

async function fill(url: string): Promise<void> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
  for (let i = 0; i < 100; i += 1) {
    const answer = await fetch(`${url}/api/v1/monitors`, { method: 'POST', headers, body: JSON.stringify(largest) })
    if (answer.status !== 201) throw new Error(await answer.text())
  }
}

/** Requests the list and reads nothing of it. */
function stall(url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write(`GET /api/v1/monitors?limit=100 HTTP/1.1\r\nHost: bench\r\nX-API-Key: ${KEY}\r\n\r\n`)
  return socket
}

function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(text)?.[1]) / 1024
}

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-bench-'))
try {
  await using server = await pharos(dataDir)
  await fill(server.url)
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
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
