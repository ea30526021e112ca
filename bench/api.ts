/**
 * Throughput of the API on both engines, compared with a bare Fastify route that returns the same bytes. Fresh processes in
 * every round, order reversed from round to round, medians. The CPU ratio is bare CPU time per request divided by that of the
 * Pharos process; it depends less on other load than the throughput ratio. PostgreSQL shares the cores of the machine with the
 * server and the load generator.
 *   npm run bench              SQLite, and PostgreSQL if its programs are installed: a server is started, with fsync
 *   DATABASE_URL=… npm run bench    uses this PostgreSQL server; databases are created on it and dropped
 */
import type { Engine } from '../src/storage/database.ts'
import { freshDatabase } from '../test/support/postgres.ts'
import { findServerPrograms, startCluster } from '../test/support/postgres-cluster.ts'
import { temporaryFolder } from './support/children.ts'
import { type Load, type LoadResult, measure } from './support/load.ts'
import { bareServer, create, KEY, pharos, type Server } from './support/processes.ts'
import { inRounds, over } from './support/rounds.ts'
import { setting } from './support/sections.ts'
import { note, percent, Table, verdict } from './support/table.ts'

const ROUNDS = setting('BENCH_ROUNDS', 5)
/** The warm-up is as long: V8 has compiled the server's code by then, as in a server that has run for minutes. */
const SECONDS = setting('BENCH_SECONDS', 4)
/** Runs only cases whose name contains this. */
const ONLY = process.env.BENCH_ONLY ?? ''
/** `sqlite` or `postgres` measures only that engine. */
const ENGINE = process.env.BENCH_ENGINE ?? ''

const creation = { name: 'Checkout', type: 'HTTP', url: 'https://example.com/health' }
const headers = { 'x-api-key': KEY }
const connections = 32

interface Case {
  readonly name: string
  readonly goals: Readonly<Record<Engine, number>>
  readonly load: (id: string) => Load
}

const cases: readonly Case[] = [
  {
    name: 'GET /monitors/{id}',
    goals: { sqlite: 0.55, postgres: 0.3 },
    load: (id) => ({ path: `/api/v1/monitors/${id}`, headers, connections }),
  },
  {
    name: 'GET /monitors (25)',
    goals: { sqlite: 0.35, postgres: 0.14 },
    load: () => ({ path: '/api/v1/monitors', headers, connections }),
  },
  {
    name: 'POST /monitors, Idempotency-Key',
    goals: { sqlite: 0.12, postgres: 0.045 },
    load: () => ({
      path: '/api/v1/monitors',
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': 'bench-[<id>]' },
      body: JSON.stringify(creation),
      connections,
    }),
  },
]

/** Creates 25 monitors and returns the last. */
async function fill(server: Server): Promise<Record<string, string>> {
  let last: Record<string, string> = {}
  for (let i = 0; i < 25; i += 1) last = await create(server, '/monitors', creation)
  return last
}

/** The bytes that Pharos returns. */
async function bareRoutes() {
  using folder = temporaryFolder()
  await using server = await pharos(folder.path)
  const one = JSON.stringify(await fill(server))
  const list = await (await fetch(`${server.url}/api/v1/monitors`, { headers })).text()
  const type = 'application/json; charset=utf-8'
  return {
    'GET /api/v1/monitors/:monitorId': [type, one],
    'GET /api/v1/monitors': [type, list],
    'POST /api/v1/monitors': [type, one],
  } as const
}

async function measureAt(place: string, { load }: Case): Promise<LoadResult> {
  await using server = await pharos(place)
  const { id = '' } = await fill(server)
  return await measure(server, load(id), SECONDS)
}

async function run(postgresUrl: string | undefined): Promise<void> {
  const routes = await bareRoutes()
  const engines = (['sqlite', 'postgres'] as const).filter((engine) => {
    return engine.includes(ENGINE) && (engine === 'sqlite' || postgresUrl !== undefined)
  })
  const table = new Table(`Node ${process.version}, ${ROUNDS} rounds of ${SECONDS} s, ${connections} connections`, [
    'request and engine'.padEnd(40),
    ...['bare/s', 'ours/s', 'ratio', 'goal', '', 'CPU ratio', 'p99 bare ms', 'p99 ours ms'],
  ])
  for (const of of cases.filter(({ name }) => name.includes(ONLY))) {
    const sides = {
      async bare() {
        using folder = temporaryFolder()
        await using server = await bareServer(folder.path, routes)
        return await measure(server, of.load('mon_bare'), SECONDS)
      },
      async sqlite() {
        using folder = temporaryFolder()
        return await measureAt(folder.path, of)
      },
      async postgres() {
        await using database = await freshDatabase(postgresUrl)
        return await measureAt(database.url, of)
      },
    }
    const wanted = Object.entries(sides).filter(([side]) => side === 'bare' || engines.includes(side as Engine))
    const rounds = await inRounds(ROUNDS, Object.fromEntries(wanted) as typeof sides)
    for (const engine of engines) {
      const ratio = over(rounds, (round) => round[engine].perSecond / round.bare.perSecond)
      const isMet = ratio >= of.goals[engine]
      if (!isMet) process.exitCode = 1
      table.row([
        `${of.name}, ${engine}`,
        over(rounds, ({ bare }) => bare.perSecond).toFixed(0),
        over(rounds, (round) => round[engine].perSecond).toFixed(0),
        percent(ratio),
        percent(of.goals[engine]),
        verdict(isMet),
        percent(over(rounds, (round) => round.bare.cpuUs / round[engine].cpuUs)),
        over(rounds, ({ bare }) => bare.p99Ms).toFixed(1),
        over(rounds, (round) => round[engine].p99Ms).toFixed(1),
      ])
    }
  }
}

const programs = findServerPrograms()
const ownServer = process.env.DATABASE_URL
delete process.env.DATABASE_URL
if (ownServer !== undefined) await run(ownServer)
else if (programs === null || ENGINE === 'sqlite') {
  if (programs === null) note('(PostgreSQL was not found: only SQLite is measured.)')
  await run(undefined)
} else {
  await using cluster = await startCluster(programs, 'durable')
  await run(cluster.url)
}
