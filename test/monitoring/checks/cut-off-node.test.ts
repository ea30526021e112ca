import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { silentLog } from '../../../src/lib/log.ts'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import { CutOffMonitors } from '../../../src/monitoring/checks/cut-off-monitors.ts'
import { reasonIn } from '../../../src/reasons/stored.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { HandClock } from '../../support/clock.ts'
import { withoutPostgres } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, current, smallest } from '../../support/monitors.ts'
import { closedPort, freePort } from '../../support/ports.ts'
import { migratedDatabase } from '../../support/postgres.ts'
import { words } from '../../support/reasons.ts'
import { startTestServer } from '../../support/server.ts'
import { startTcpTarget } from '../../support/targets.ts'

/** A node whose only proof of a network is a port on loopback. */
function startNode(databaseUrl: string, sentinel: string, env = {}) {
  return startTestServer('postgres', { databaseUrl, env: { PHAROS_SENTINELS: sentinel, ...env } })
}

/** No other test uses it. */
const OWN_ADDRESS = '127.0.77.1'

describe('several nodes, of which some have no network', { skip: withoutPostgres }, () => {
  test('a node without a network gives its work to one that has a network, and takes work again when it is back', async () => {
    await using own = await migratedDatabase()
    await using sentinel = await startTcpTarget()
    const lostPort = await freePort()
    await using cutOff = await startNode(own.url, `${OWN_ADDRESS}:${lostPort}`)
    const client = cutOff.client()
    const create = async () =>
      createMonitor(client, smallest('PORT', { host: '127.0.0.1', port: await closedPort(), intervalSeconds: 3600 }))
    const { id } = await create()
    const nodeOf = async (monitorId: string) => {
      const monitor = q.selectFrom('monitors').select('num').where('id', '=', monitorId)
      const states = q.selectFrom('monitor_states').select('claimed_by').where('num', '=', monitor)
      return (await cutOff.running.database.read(execute(states)))[0]?.claimed_by
    }
    await eventually(async () => {
      const { data } = (await client.get(`/monitors/${id}/checks`)).body
      assert.equal(data[0]?.state, 'INCONCLUSIVE')
    })
    const cutOffNode = await nodeOf(id)
    assert.notEqual(cutOffNode, null, 'it is the only node')
    {
      await using working = await startNode(own.url, `127.0.0.1:${sentinel.port}`)
      assert.ok(working)
      await eventually(async () => assert.equal((await current(client, id)).state, 'DOWN'), 30_000)
      assert.notEqual(await nodeOf(id), cutOffNode)
      const further = await create()
      await eventually(async () => assert.equal((await current(client, further.id)).state, 'DOWN'), 30_000)
    }
    await using returned = createServer().listen(lostPort, OWN_ADDRESS)
    assert.ok(returned)
    const later = await create()
    await eventually(async () => assert.equal((await current(client, later.id)).state, 'DOWN'), 30_000)
    assert.equal(await nodeOf(later.id), cutOffNode)
  })

  test('several nodes without a network send one message, and another one for the next outage', async () => {
    await using own = await migratedDatabase()
    const clock = new HandClock()
    const apiOnly = { PHAROS_ROLES: 'api', PHAROS_PRIVATE_WEBHOOKS: 'allow' }
    const sentinel = `127.0.0.1:${await closedPort()}`
    await using one = await startNode(own.url, sentinel, apiOnly)
    await using two = await startNode(own.url, sentinel, apiOnly)
    const settings = { url: 'http://127.0.0.1:9/' }
    const contact = await one.client().post('/contacts', { name: 'On call', channel: 'WEBHOOK', settings })
    assert.equal(contact.status, 201, JSON.stringify(contact.body))
    const orgId = await one.defaultOrgId()
    const nodes = [one, two].map(({ running }) => new CutOffMonitors(running.database, clock, silentLog))
    const alerts = async () =>
      (await one.running.database.read(execute(q.selectFrom('alerts').select('kind')))).map(({ kind }) => kind)
    const fail = () => {
      for (const [num, node] of nodes.entries()) {
        const claim = { num, orgId, startedAt: clock.now() } as Claim
        node.settle(claim, { outcome: 'inconclusive', reason: words('No network'), isCutOff: true })
      }
    }
    for (const sent of [1, 2]) {
      fail()
      clock.advance(31_000)
      fail()
      await eventually(async () => assert.equal((await alerts()).length, sent))
      // The other node has asked for the lock, and did not get it.
      for (const node of nodes) await node.makeDue('this node', new Set())
      assert.deepEqual(await alerts(), Array(sent).fill('network_down'))
      await eventually(async () =>
        assert.deepEqual(await one.running.database.read(execute(q.selectFrom('locks').select('name'))), []),
      )
    }
  })

  test('a monitor that stays cut off when another target answers is reported, too', async () => {
    await using server = await startTestServer('sqlite', {
      env: { PHAROS_ROLES: 'api', PHAROS_PRIVATE_WEBHOOKS: 'allow' },
    })
    const { database } = server.running
    const client = server.client()
    await client.post('/contacts', { name: 'On call', channel: 'WEBHOOK', settings: { url: 'http://127.0.0.1:9/' } })
    await createMonitor(client, smallest('PORT', { host: '127.0.0.1', port: 9 }))
    const [monitor] = await database.read(execute(q.selectFrom('monitors').select('num')))
    const clock = new HandClock()
    const cutOff = new CutOffMonitors(database, clock, silentLog)
    for (let i = 0; i < 5; i += 1) {
      const claim = { num: monitor?.num, orgId: await server.defaultOrgId(), startedAt: clock.now() } as Claim
      cutOff.settle(claim, { outcome: 'inconclusive', reason: words('No network'), isCutOff: true })
      await cutOff.makeDue('this node', new Set())
      clock.advance(10_000)
    }
    await eventually(async () => {
      const alerts = await database.read(execute(q.selectFrom('alerts').select('reason')))
      assert.deepEqual(
        alerts.map(({ reason }) => reasonIn(reason as string).code),
        ['network_down'],
      )
    })
  })
})
