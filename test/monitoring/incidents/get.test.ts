import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, smallest } from '../../support/monitors.ts'
import { closedPort } from '../../support/ports.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { acknowledged, type Body, check, currentIncident, listed, outage, pageOf, shaky } from './incidents.ts'

const at = (clock: HandClock): string => new Date(clock.now()).toISOString()
const typesOf = ({ timeline }: Body): string[] => timeline.map((entry: Body) => entry.type)

forEachEngine('GET /incidents/{incidentId}', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  courses(api, clock)
  failures(api, clock)
  monitors(api)
})

function courses(api: Api, clock: HandClock): void {
  test('an incident that has just begun says what failed, and nothing of an end', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target, { name: 'Checkout – Kasse ☂' })
    clock.advance(90_000)
    const incident = await outage(client, monitor.id)
    const { firstFailure, cause, ...rest } = incident
    assert.deepEqual(rest, {
      id: incident.id,
      monitor: { id: monitor.id, name: 'Checkout – Kasse ☂', type: 'HTTP' },
      startedAt: at(clock),
      resolvedAt: null,
      durationSec: null,
      acknowledged: false,
      acknowledgedAt: null,
      acknowledgedBy: null,
      causeCode: 'STATUS',
      failedChecks: 1,
      lastFailure: firstFailure,
      timeline: [{ at: at(clock), type: 'OPENED', message: cause }],
    })
    assert.match(cause, /HTTP 503/)
    assert.deepEqual((await pageOf(client)).data, [listed(incident)])
  })

  test('further failures count in the same incident: the cause and the first failure stay, the last one is new', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target)
    const opened = await outage(client, monitor.id)
    target.status = 500
    target.body = 'Out of memory'
    clock.advance(60_000)
    await client.patch(`/monitors/${monitor.id}`, { url: `http://127.0.0.1:${await closedPort()}/` })
    await eventually(async () => assert.match((await outage(client, monitor.id)).lastFailure.error, /refused/i))
    await client.patch(`/monitors/${monitor.id}`, { url: target.url })
    clock.advance(60_000)
    const { lastFailure, ...rest } = await outage(client, monitor.id)
    const { lastFailure: _, ...before } = opened
    assert.equal(before.firstFailure.statusCode, 503)
    assert.deepEqual(rest, { ...before, failedChecks: 3 })
    assert.deepEqual([lastFailure.at, lastFailure.statusCode], [at(clock), 500])
    assert.equal(lastFailure.excerpt, 'Out of memory')
    assert.match(lastFailure.error, /HTTP 500/)
  })

  test('the first success resolves it: its end, its length, and all else as it was', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target)
    const opened = await outage(client, monitor.id)
    clock.advance(1_000)
    const known = await acknowledged(client, opened.id)
    clock.advance(89_000)
    target.status = 200
    assert.equal((await check(client, monitor.id)).state, 'UP')
    const resolved = await currentIncident(client, opened.id)
    const { timeline, ...rest } = resolved
    const { timeline: before, ...knownRest } = known
    assert.deepEqual(rest, { ...knownRest, resolvedAt: at(clock), durationSec: 90 })
    assert.deepEqual(timeline.slice(0, 2), before)
    assert.deepEqual(typesOf(resolved), ['OPENED', 'ACKNOWLEDGED', 'RESOLVED'])
    assert.equal(timeline[2].at, at(clock))
    assert.deepEqual((await pageOf(client)).data, [listed(resolved)])
    clock.advance(60_000)
    await check(client, monitor.id)
    assert.deepEqual(await currentIncident(client, opened.id), resolved, 'a resolved incident changes no more')
  })
}

function failures(api: Api, clock: HandClock): void {
  test('a failure has the response of the target: status, time, address and the start of the body', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    target.body = `<p>Łódź\0${'x'.repeat(5_000)}</p>`
    const { firstFailure } = await outage(client, (await shaky(client, target)).id)
    const { responseMs, error, excerpt, ...rest } = firstFailure
    assert.deepEqual(rest, { at: at(clock), statusCode: 503, ip: '127.0.0.1' })
    assert.ok(responseMs >= 0)
    assert.match(error, /503/)
    // PostgreSQL stores no NUL, so neither engine does.
    assert.equal(excerpt, target.body.replace('\0', '\uFFFD').slice(0, 2048))
  })

  test('a body without text leaves an empty excerpt, and a target that was not reached none at all', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    target.body = ''
    const empty = await outage(client, (await shaky(client, target)).id)
    assert.equal(empty.lastFailure.excerpt, '')
    const url = `http://127.0.0.1:${await closedPort()}/`
    const refused = await outage(client, (await createMonitor(client, smallest('HTTP', { url }))).id)
    const { statusCode, excerpt } = refused.firstFailure
    assert.deepEqual([refused.causeCode, statusCode, excerpt], ['CONNECT', null, null])
    assert.equal(refused.cause, refused.firstFailure.error)
  })

  test('a heartbeat that fails has neither status nor address nor time', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    assert.equal((await fetch(`${monitor.heartbeatUrl}/3`)).status, 200)
    const [listedOne] = (await pageOf(client)).data
    const incident = await currentIncident(client, listedOne?.id)
    const { error, ...rest } = incident.firstFailure
    assert.deepEqual(rest, { at: at(clock), statusCode: null, responseMs: null, ip: null, excerpt: null })
    assert.match(error, /exited with code 3/)
    assert.equal(incident.causeCode, 'HEARTBEAT_FAILED')
  })

  test('an overdue heartbeat is HEARTBEAT_MISSED', async () => {
    const { client } = await api.tenant()
    const job = await createMonitor(client, smallest('CRON', { expectedPeriodSec: 60, graceSeconds: 30 }))
    assert.equal((await fetch(job.heartbeatUrl)).status, 200)
    clock.advance(90_000)
    const { causeCode, cause } = await outage(client, job.id)
    assert.equal(causeCode, 'HEARTBEAT_MISSED')
    assert.match(cause, /No heartbeat since/)
  })
}

function monitors(api: Api): void {
  test('an incident shows its monitor as it is called now', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const monitor = await shaky(client, target, { name: 'Old' })
    const { id } = await outage(client, monitor.id)
    await client.patch(`/monitors/${monitor.id}`, { name: 'New' })
    assert.equal((await currentIncident(client, id)).monitor.name, 'New')
    assert.equal((await pageOf(client)).data[0]?.monitor.name, 'New')
  })
}
