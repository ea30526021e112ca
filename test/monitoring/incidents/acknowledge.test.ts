import assert from 'node:assert/strict'
import { test } from 'node:test'
import { insertKey } from '../../../src/accounts/keys/insert.ts'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { current, expectError } from '../../support/monitors.ts'
import { startHttpTarget } from '../../support/targets.ts'
import {
  acknowledged,
  type Body,
  check,
  currentIncident,
  listed,
  outage,
  pageOf,
  shaky,
  tenantWithIncident,
  untouchedBy,
} from './incidents.ts'

forEachEngine('POST /incidents/{incidentId}/acknowledge', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  acknowledgement(api, clock)
  collisions(api, clock)
})

function acknowledgement(api: Api, clock: HandClock): void {
  test('it says when and by whom, and leaves everything else as it was', async () => {
    const { client, incident, monitor } = await tenantWithIncident(api)
    const watched = await current(client, monitor.id)
    clock.advance(30_000)
    const answer = await acknowledged(client, incident.id)
    const at = new Date(clock.now()).toISOString()
    const { timeline, ...rest } = answer
    const { timeline: before, ...restBefore } = incident
    const by = { acknowledgedAt: at, acknowledgedBy: { type: 'API_KEY', name: 'test' } }
    assert.deepEqual(rest, { ...restBefore, acknowledged: true, ...by })
    assert.deepEqual(timeline.slice(0, -1), before)
    assert.deepEqual([timeline.at(-1).type, timeline.at(-1).at], ['ACKNOWLEDGED', at])
    assert.match(timeline.at(-1).message, /"test"/)
    assert.deepEqual(await currentIncident(client, incident.id), answer)
    assert.deepEqual((await pageOf(client)).data, [listed(answer)])
    assert.deepEqual(await current(client, monitor.id), watched, 'the monitor is DOWN as before')
  })

  test('acknowledging twice is 200 and changes nothing, with any key', async () => {
    const { client, orgId, incident } = await tenantWithIncident(api)
    const first = await acknowledged(client, incident.id)
    clock.advance(60_000)
    const { secret } = await api.server.running.database.write(() =>
      insertKey({ orgId, name: 'Anna’s "key"', access: 'full', expiresAt: null }, clock.now()),
    )
    for (const again of [client, api.clientOf(secret)]) {
      assert.deepEqual(await acknowledged(again, incident.id), first)
    }
    assert.deepEqual(await currentIncident(client, incident.id), first)
  })

  test('the name of the key is returned unchanged', async () => {
    const { orgId, incident } = await tenantWithIncident(api)
    const name = 'Anna’s "key" <&>\u{1F511}'
    const { secret } = await api.server.running.database.write(() =>
      insertKey({ orgId, name, access: 'full', expiresAt: null }, clock.now()),
    )
    const answer = await acknowledged(api.clientOf(secret), incident.id)
    assert.deepEqual(answer.acknowledgedBy, { type: 'API_KEY', name })
    assert.ok(answer.timeline.at(-1).message.includes(name))
  })

  test('a resolved incident is 409 and stays as it is, acknowledged before or not', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target)
    for (const before of [false, true]) {
      target.status = 503
      const { id } = await outage(client, monitor.id)
      if (before) await acknowledged(client, id)
      target.status = 200
      await check(client, monitor.id)
      const answer = await untouchedBy(client, () => client.post(`/incidents/${id}/acknowledge`))
      assert.equal(answer.status, 409)
      expectError(answer, 'conflict')
      assert.equal((await currentIncident(client, id)).acknowledged, before)
    }
  })
}

function collisions(api: Api, clock: HandClock): void {
  test('of many at once one acknowledges, and all get the same answer', async () => {
    const { client, incident } = await tenantWithIncident(api)
    const answers = await Promise.all(Array.from({ length: 12 }, () => acknowledged(client, incident.id)))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
    assert.equal(answers[0]?.timeline.length, 2)
  })

  test('an acknowledgement while checks fail and succeed is kept, and so are the results of the checks', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target)
    for (let round = 0; round < 8; round += 1) {
      target.status = 503
      const { id } = await outage(client, monitor.id)
      target.status = round % 2 === 0 ? 503 : 200
      clock.advance(1_000)
      const [answer] = await Promise.all([client.post(`/incidents/${id}/acknowledge`), check(client, monitor.id)])
      const incident = await currentIncident(client, id)
      const types = incident.timeline.map((entry: Body) => entry.type)
      const known = answer.status === 200
      assert.ok(known || (answer.status === 409 && round % 2 === 1), `${answer.status} in round ${round}`)
      assert.equal(incident.acknowledged, known)
      assert.deepEqual(types, [
        'OPENED',
        ...(known ? ['ACKNOWLEDGED'] : []),
        ...(incident.resolvedAt === null ? [] : ['RESOLVED']),
      ])
      assert.equal(incident.resolvedAt === null, round % 2 === 0)
      assert.equal(incident.failedChecks, round % 2 === 0 ? 2 : 1)
      target.status = 200
      await check(client, monitor.id)
    }
  })
}
