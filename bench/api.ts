/**
 * Throughput of the API on both engines, compared with a bare Fastify route that returns the same bytes. Fresh processes in
 * every round, order reversed from round to round, medians. The CPU ratio is bare CPU time per request divided by that of the
 * Pharos process; it depends less on other load than the throughput ratio. PostgreSQL shares the cores of the machine with the
 * server and the load generator.
 *   npm run bench              SQLite, and PostgreSQL if its programs are installed: a server is started, with fsync
 *   DATABASE_URL=… npm run bench    uses this PostgreSQL server; databases are created on it and dropped
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freshDatabase } from '../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../test/support/postgres-cluster.ts'
import { type Load, type Measured, measure, median } from './support/load.ts'
import { bareServer, cpuUsOf, KEY, pharos, type Server } from './support/processes.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
/** As long as the measurement: V8 has compiled the server's code by then, as in a server that has run for minutes. */
const WARM_UP_SECONDS = SECONDS
/** Runs only cases whose name contains this. */
const ONLY = process.env.BENCH_ONLY ?? ''
/** `sqlite` or `postgres` measures only that engine. */
const ENGINE = process.env.BENCH_ENGINE ?? ''

const creation = JSON.stringify({ name: 'Checkout', type: 'HTTP', url: 'https://example.com/health' })
const authorized = { 'x-api-key': KEY }

type Engine = 'sqlite' | 'postgres'

interface Case {
  readonly name: string
  readonly goals: Readonly<Record<Engine, number>>
  readonly load: (url: string, id: string) => Omit<Load, 'seconds'>
}

const cases: readonly Case[] = [
  {
    name: 'GET /monitors/{id}',
    goals: { sqlite: 0.55, postgres: 0.3 },
    load: (url, id) => ({ url: `${url}/api/v1/monitors/${id}`, headers: authorized, connections: 32 }),
  },
  {
    name: 'GET /monitors (25)',
    goals: { sqlite: 0.35, postgres: 0.14 },
    load: (url) => ({ url: `${url}/api/v1/monitors`, headers: authorized, connections: 32 }),
  },
  {
    name: 'POST /monitors, Idempotency-Key',
    goals: { sqlite: 0.12, postgres: 0.045 },
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

type Side = Engine | 'bare'
type Timed = Measured & { readonly cpuUs: number }

/** Runs all sides of a case in fresh processes, in the given order. */
async function round(of: Case, sides: readonly Side[], postgresUrl: string | undefined): Promise<Map<Side, Timed>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'pharos-bench-'))
  try {
    await using running = new AsyncDisposableStack()
    const servers = new Map<Side, Server & { id: string }>()
    let texts = { one: '', list: '' }
    for (const side of sides.filter((each) => each !== 'bare')) {
      const env = side === 'postgres' ? { DATABASE_URL: running.use(await freshDatabase(postgresUrl)).url } : {}
      const server = running.use(await pharos(join(dataDir, side), env))
      const { id, ...bodies } = await fill(server.url)
      servers.set(side, { ...server, id })
      texts = bodies
    }
    servers.set('bare', { ...running.use(await bareServer(texts.one, texts.list)), id: 'mon_bare' })
    const results = new Map<Side, Timed>()
    for (const side of sides) results.set(side, await timed(of, servers.get(side) as Server & { id: string }))
    return results
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function timed(of: Case, { url, pid, id }: Server & { id: string }): Promise<Timed> {
  await measure({ ...of.load(url, id), seconds: WARM_UP_SECONDS })
  const before = cpuUsOf(pid) ?? Number.NaN
  const measured = await measure({ ...of.load(url, id), seconds: SECONDS })
  return { ...measured, cpuUs: ((cpuUsOf(pid) ?? Number.NaN) - before) / measured.answers }
}

/** Prints a row per engine and returns how many goals were missed. */
async function compare(of: Case, engines: readonly Engine[], postgresUrl: string | undefined): Promise<number> {
  const rounds: Map<Side, Timed>[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    const order: Side[] = ['bare', ...engines]
    rounds.push(await round(of, i % 2 === 0 ? order : order.reverse(), postgresUrl))
  }
  let missed = 0
  for (const engine of engines) {
    const pairs = rounds.map((each) => ({ bare: each.get('bare') as Timed, ours: each.get(engine) as Timed }))
    const ratio = median(pairs.map(({ bare, ours }) => ours.perSecond / bare.perSecond))
    if (ratio < of.goals[engine]) missed += 1
    const cells = [
      of.name.padEnd(32),
      (engine === 'sqlite' ? 'SQLite' : 'PostgreSQL').padEnd(10),
      Math.round(median(pairs.map(({ bare }) => bare.perSecond))),
      Math.round(median(pairs.map(({ ours }) => ours.perSecond))),
      percent(ratio),
      percent(of.goals[engine]),
      percent(median(pairs.map(({ bare, ours }) => bare.cpuUs / ours.cpuUs))),
      `${median(pairs.map(({ bare }) => bare.p99Ms)).toFixed(1)} ms`,
      `${median(pairs.map(({ ours }) => ours.p99Ms)).toFixed(1)} ms`,
    ]
    process.stdout.write(`${cells.map((cell) => `${cell}`.padStart(9)).join(' ')}\n`)
  }
  return missed
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

async function run(postgresUrl: string | undefined): Promise<void> {
  const engines = (['sqlite', 'postgres'] as const).filter((engine) => {
    return engine.includes(ENGINE) && (engine === 'sqlite' || postgresUrl !== undefined)
  })
  process.stdout.write(`Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s, 32 connections\n\n`)
  const names = ['bare/s', 'ours/s', 'ratio', 'goal', 'CPU ratio', 'p99 bare', 'p99 ours']
  process.stdout.write(`${' '.repeat(44)}${names.map((name) => name.padStart(9)).join(' ')}\n`)
  let missed = 0
  for (const of of cases.filter(({ name }) => name.includes(ONLY))) missed += await compare(of, engines, postgresUrl)
  process.exitCode = missed === 0 ? 0 : 1
}

const programs = findServerPrograms()
const ownServer = process.env.DATABASE_URL
delete process.env.DATABASE_URL
if (ownServer !== undefined) await run(ownServer)
else if (programs === null || ENGINE === 'sqlite') {
  if (programs === null) process.stdout.write('PostgreSQL was not found: only SQLite is measured.\n')
  await run(undefined)
} else {
  await using cluster = await startCluster(programs, 'durable')
  await run(cluster.url)
}
