/**
 * Throughput of the API compared with a bare Fastify route that returns the same bytes. Fresh processes in every round, order
 * reversed from round to round, medians. The CPU ratio is bare CPU time per request divided by ours; it depends less on other
 * load than the throughput ratio.
 *   npm run bench              SQLite
 *   DATABASE_URL=… npm run bench    PostgreSQL (use an empty database)
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Load, type Measured, measure, median } from './support/load.ts'
import { bareServer, cpuUsOf, KEY, pharos, type Server } from './support/processes.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const WARM_UP_SECONDS = 2
/** Runs only cases whose name contains this. */
const ONLY = process.env.BENCH_ONLY ?? ''

const creation = JSON.stringify({ name: 'Checkout', type: 'HTTP', url: 'https://example.com/health' })
const authorized = { 'x-api-key': KEY }

interface Case {
  readonly name: string
  readonly goal: number
  readonly load: (url: string, id: string) => Omit<Load, 'seconds'>
}

const cases: readonly Case[] = [
  {
    name: 'GET /monitors/{id}',
    goal: 0.6,
    load: (url, id) => ({ url: `${url}/api/v1/monitors/${id}`, headers: authorized, connections: 32 }),
  },
  {
    name: 'GET /monitors (25)',
    goal: 0.25,
    load: (url) => ({ url: `${url}/api/v1/monitors`, headers: authorized, connections: 32 }),
  },
  {
    name: 'POST /monitors, Idempotency-Key',
    goal: 0.15,
    load: (url) => ({
      url: `${url}/api/v1/monitors`,
      method: 'POST',
      headers: { ...authorized, 'content-type': 'application/json', 'idempotency-key': 'bench-[<id>]' },
      body: creation,
      connections: 32,
    }),
  },
]

async function fill(url: string): Promise<{ id: string; one: string; list: string }> {
  const headers = { ...authorized, 'content-type': 'application/json' }
  let one = ''
  for (let i = 0; i < 25; i += 1) {
    const answer = await fetch(`${url}/api/v1/monitors`, { method: 'POST', headers, body: creation })
    one = await answer.text()
  }
  const list = await (await fetch(`${url}/api/v1/monitors`, { headers: authorized })).text()
  return { id: JSON.parse(one).id, one, list }
}

/** Runs both sides of a case in fresh processes, in the given order. */
async function round(of: Case, bareFirst: boolean): Promise<{ bare: Timed; ours: Timed }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-bench-'))
  try {
    const sides: { bare?: Timed; ours?: Timed } = {}
    await using server = await pharos(dataDir)
    const { id, one, list } = await fill(server.url)
    await using bare = await bareServer(one, list)
    const order = bareFirst ? (['bare', 'ours'] as const) : (['ours', 'bare'] as const)
    for (const side of order) sides[side] = await timed(of, side === 'bare' ? bare : server, id)
    return sides as { bare: Timed; ours: Timed }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

type Timed = Measured & { readonly cpuUs: number }

async function timed(of: Case, { url, pid }: Server, id: string): Promise<Timed> {
  await measure({ ...of.load(url, id), seconds: WARM_UP_SECONDS })
  const before = cpuUsOf(pid) ?? Number.NaN
  const measured = await measure({ ...of.load(url, id), seconds: SECONDS })
  return { ...measured, cpuUs: ((cpuUsOf(pid) ?? Number.NaN) - before) / measured.answers }
}

const engine = process.env.DATABASE_URL === undefined ? 'SQLite' : 'PostgreSQL'
process.stdout.write(`Node ${process.version}, ${engine}, ${ROUNDS} rounds of ${SECONDS} s, 32 connections\n\n`)
process.stdout.write(
  '                                  bare/s    ours/s   ratio    goal  CPU ratio   p99 bare   p99 ours\n',
)
let missed = 0
for (const of of cases.filter(({ name }) => name.includes(ONLY))) {
  const rounds = []
  for (let i = 0; i < ROUNDS; i += 1) rounds.push(await round(of, i % 2 === 0))
  const ratio = median(rounds.map(({ bare, ours }) => ours.perSecond / bare.perSecond))
  const cells = [
    of.name.padEnd(32),
    Math.round(median(rounds.map(({ bare }) => bare.perSecond)))
      .toString()
      .padStart(8),
    Math.round(median(rounds.map(({ ours }) => ours.perSecond)))
      .toString()
      .padStart(9),
    `${(100 * ratio).toFixed(0)} %`.padStart(7),
    `${(100 * of.goal).toFixed(0)} %`.padStart(7),
    `${(100 * median(rounds.map(({ bare, ours }) => bare.cpuUs / ours.cpuUs))).toFixed(0)} %`.padStart(10),
    `${median(rounds.map(({ bare }) => bare.p99Ms)).toFixed(1)} ms`.padStart(10),
    `${median(rounds.map(({ ours }) => ours.p99Ms)).toFixed(1)} ms`.padStart(10),
  ]
  if (ratio < of.goal && engine === 'SQLite') missed += 1
  process.stdout.write(`${cells.join(' ')}\n`)
}
process.exitCode = missed === 0 ? 0 : 1
