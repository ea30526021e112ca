import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { systemClock } from '../../../src/lib/clock.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Database } from '../../../src/storage/database.ts'
import { openDatabase } from '../../../src/storage/open.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { cutConnections } from '../../support/database-faults.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { freePort } from '../../support/ports.ts'
import { type FreshDatabase, migratedDatabase } from '../../support/postgres.ts'
import { startTestServer } from '../../support/server.ts'
import { startProcess } from '../../support/server-process.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { checkCounts, checkCountsAt, expectNoIncident, metricsEnv, nextFailedWrite, statesOf } from './faults.ts'
import { resultsOf } from './stored-history.ts'

const COUNT = 6

describe('PostgreSQL restarts while checks end', { skip: withoutPostgres }, () => {
  let own: FreshDatabase
  let outside: Database

  before(async () => {
    own = await migratedDatabase()
    const storage = { databaseUrl: own.url, poolSize: 2, dataDir: '', rateLimit: { quota: 1, windowMs: 1 } }
    outside = await openDatabase(storage, systemClock, silentLog)
  })
  after(async () => {
    await outside.close()
    await own.drop()
  })

  test('no monitor goes DOWN, and every result is saved once it is back', async (t) => {
    await using target = await startHttpTarget()
    await using server = await startTestServer('postgres', { env: metricsEnv, databaseUrl: own.url })
    const client = server.client()
    const answer = target.hold()
    const ids: string[] = []
    for (let i = 0; i < COUNT; i += 1) ids.push((await createMonitor(client, smallest('HTTP', { url: target.url }))).id)
    await eventually(async () => assert.equal(target.visits, COUNT))
    await using away = await cutConnections(own.url)
    const failed = nextFailedWrite(t, server)
    answer()
    await failed
    assert.equal((await client.get('/monitors')).status, 500, 'the database is away')
    await away.release()
    await eventually(async () => assert.deepEqual(await statesOf(client), Array(COUNT).fill('UP')))
    await expectNoIncident(client)
    for (const id of ids) assert.equal((await resultsOf(server, id)).length, 1)
    await eventually(async () => {
      assert.deepEqual(await checkCounts(server), { saved: COUNT, stale: 0, inconclusive: 0, underWay: 0 })
    })
  })

  test('a check by hand whose result cannot be written is 500, and the monitor keeps its state', async () => {
    await using target = await startHttpTarget()
    target.status = 503
    const env = { PHAROS_ROLES: 'api' }
    await using server = await startTestServer('postgres', { env, databaseUrl: own.url })
    const client = server.client((await server.organization('STARTER')).key)
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const answer = target.hold()
    const visited = target.visited()
    const asked = client.post(`/monitors/${id}/check`, {})
    await visited
    await using away = await cutConnections(own.url)
    answer()
    const { status, body } = await asked
    assert.deepEqual([status, body.error.code], [500, 'internal_error'])
    await away.release()
    await eventually(async () => assert.deepEqual(await statesOf(client), ['PENDING']))
    await expectNoIncident(client)
    assert.equal((await client.post(`/monitors/${id}/check`, {})).body.state, 'DOWN')
  })

  test('metrics can be read while the database is away', async () => {
    const metricsUrl = `http://127.0.0.1:${await freePort()}/metrics`
    const env = { DATABASE_URL: own.url, PHAROS_METRICS_LISTEN: new URL(metricsUrl).host }
    await using node = await startProcess(env)
    await checkCountsAt(metricsUrl)
    await using _away = await cutConnections(own.url)
    await checkCountsAt(metricsUrl)
    assert.equal((await fetch(`${node.url}/api/v1/monitors`)).status, 500, 'the node runs without its database')
  })

  test('a node whose connections were cut renews its row again, under the same name', async () => {
    await using target = await startHttpTarget()
    await using server = await startTestServer('postgres', { env: metricsEnv, databaseUrl: own.url })
    const client = server.client((await server.organization('STARTER')).key)
    const answer = target.hold()
    const visited = target.visited()
    await createMonitor(client, smallest('HTTP', { url: target.url }))
    await visited
    // The newest monitor: those of earlier tests may still be assigned to their nodes.
    const newest = execute(q.selectFrom('monitor_states').select('claimed_by').orderBy('num', 'desc').limit(1))
    const node = (await outside.read(newest)).at(0)?.claimed_by as string
    const renewedAt = async () => {
      const [row] = await outside.read(execute(q.selectFrom('nodes').select('renewed_at').where('name', '=', node)))
      return row?.renewed_at as number
    }
    try {
      await (await cutConnections(own.url)).release()
      await eventually(async () => assert.equal((await client.get('/monitors')).status, 200))
      const before = await renewedAt()
      await eventually(async () => assert.ok((await renewedAt()) > before))
    } finally {
      answer()
    }
  })
})
