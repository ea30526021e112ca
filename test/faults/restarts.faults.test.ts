import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { Load, recoveryMs, startChecking, startWriting } from './load.ts'
import { PostgresServer } from './postgres-server.ts'
import { faultRow } from './row.ts'

const RECOVERY_LIMIT_S = 2
const WRITERS = 6
/** Between two faults, and before the first. */
const CALM_MS = 2_500
const CONNECTION_LIMIT_MS = 4_000

// test/crash kills nodes and cuts all their connections while writers work, on both engines.
faultRow(
  'PostgreSQL restarts (fast, immediate, kill -9), ends all connections, and accepts no more',
  { needs: ['postgres'] },
  async (row, site) => {
    const postgres = await PostgresServer.start(site)
    const databaseUrl = postgres.url()
    const nodes = [await startWriting(site, databaseUrl), await startWriting(site, databaseUrl)]
    await using checking = await startChecking(site, postgres)
    const load = new Load(nodes, WRITERS)
    const restart = async (stop: () => Promise<void>): Promise<void> => {
      await stop()
      await delay(1_000)
      await postgres.start()
    }
    const faults: [string, () => Promise<void>][] = [
      ['a fast restart', () => restart(() => postgres.stop('fast'))],
      ['an immediate restart', () => restart(() => postgres.stop('immediate'))],
      ['kill -9', () => restart(() => postgres.kill())],
      ['the end of all connections', () => endConnections(postgres)],
      ['the connection limit', () => exhaustConnections(postgres)],
    ]
    for (const [name, inject] of faults) {
      await delay(CALM_MS)
      await inject()
      row.withinSeconds(`recovery after ${name}`, await recoveryMs([...nodes, checking.node]), RECOVERY_LIMIT_S)
    }
    await delay(CALM_MS)
    const acknowledged = await load.verify(databaseUrl)
    row.atMost(`of ${acknowledged} acknowledged writes lost or doubled`, 0, 0)
    await row.noIncidents(checking.node.client)
  },
)

async function endConnections(postgres: PostgresServer): Promise<void> {
  await postgres.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'pharos%'`)
}

/** Takes all connections there are, for some seconds. */
async function exhaustConnections(postgres: PostgresServer): Promise<void> {
  const held: pg.Client[] = []
  const fill = async (): Promise<void> => {
    for (;;) {
      const client = new pg.Client({ connectionString: postgres.url('postgres') })
      client.on('error', () => undefined)
      try {
        await client.connect()
      } catch {
        return // There are no more.
      }
      held.push(client)
    }
  }
  try {
    await fill()
    const [client] = held
    if (client === undefined) throw new Error('There was no connection to take.')
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'pharos%'`)
    const until = performance.now() + CONNECTION_LIMIT_MS
    while (performance.now() < until) {
      await fill()
      await delay(50)
    }
  } finally {
    await Promise.all(held.map((client) => client.end()))
  }
}
