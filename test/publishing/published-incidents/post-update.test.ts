import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { type Body, currentPage, currentPublished, posted, tenantWithPage, untouchedBy } from '../../support/status.ts'

/** Bodies that break rules beyond the schema. */
const badBodies: readonly (readonly [body: Body, paths: readonly string[]])[] = [
  [{ message: 'x', status: 'MONITORING', title: 'x', impact: 'NONE' }, ['impact', 'title']],
  [
    { message: 'x', status: 'MONITORING', affectedMonitors: new Array(2).fill({ monitorId: 'm', status: 'DEGRADED' }) },
    ['affectedMonitors.1.monitorId'],
  ],
  [
    { message: 'x', status: 'MONITORING', affectedMonitors: [{ monitorId: 'mon_x', status: 'DEGRADED' }] },
    ['affectedMonitors.0.monitorId'],
  ],
]

forEachEngine('POST /status-incidents/{statusIncidentId}/updates', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  posting(api, clock)
  resolving(api, clock)
  limits(api)
})

function posting(api: Api, clock: HandClock): void {
  test('updates are newest first, each as posted, and the incident has the status of the last one', async () => {
    const { client, published } = await tenantWithPage(api)
    const { affectedMonitors } = published
    clock.advance(1_000)
    await posted(client, published.id, { status: 'IDENTIFIED', message: 'Found.' })
    clock.advance(1_000)
    const whole = await posted(client, published.id, {
      status: 'MONITORING',
      message: 'Fixed?',
      notifySubscribers: false,
    })
    const now = new Date(clock.now()).toISOString()
    assert.deepEqual(whole, { ...published, status: 'MONITORING', updatedAt: now, updates: whole.updates })
    assert.equal(new Set(whole.updates.map(({ id }: Body) => id)).size, 3)
    assert.deepEqual(
      whole.updates.map(({ id: _, ...update }: Body) => update),
      [
        { status: 'MONITORING', message: 'Fixed?', affectedMonitors, publishedAt: now, createdAt: now },
        { status: 'IDENTIFIED', message: 'Found.', affectedMonitors, ...times(clock.now() - 1_000) },
        {
          status: 'INVESTIGATING',
          message: 'We are looking into it.',
          affectedMonitors,
          ...times(clock.now() - 2_000),
        },
      ],
    )
    assert.deepEqual(await currentPublished(client, published.id), whole)
  })

  test('updates with the same timestamp keep their order', async () => {
    const { client, published } = await tenantWithPage(api)
    for (let i = 0; i < 12; i += 1) await posted(client, published.id, { message: `No. ${i}` })
    const { updates } = await currentPublished(client, published.id)
    assert.deepEqual(
      updates.slice(0, 12).map(({ message }: Body) => message),
      Array.from({ length: 12 }, (_, i) => `No. ${11 - i}`),
    )
  })

  test('omitted affected monitors stay; a list replaces all', async () => {
    const { client, published, monitor, page } = await tenantWithPage(api)
    const other = await createMonitor(client, smallest('CRON'))
    const affectedMonitors = [
      { monitorId: other.id, status: 'MAJOR_OUTAGE' },
      { monitorId: monitor.id, status: 'PARTIAL_OUTAGE' },
    ]
    const kept = await posted(client, published.id)
    assert.deepEqual(kept.affectedMonitors, published.affectedMonitors)
    const replaced = await posted(client, published.id, { affectedMonitors })
    assert.deepEqual(
      [replaced.affectedMonitors, replaced.updates[0].affectedMonitors],
      [affectedMonitors, affectedMonitors],
    )
    assert.deepEqual(replaced.updates[1].affectedMonitors, published.affectedMonitors)
    assert.equal((await currentPage(client, page.id)).overallStatus, 'PARTIAL_OUTAGE')
    const none = await posted(client, published.id, { affectedMonitors: [] })
    assert.deepEqual(none.affectedMonitors, [])
    assert.equal((await currentPage(client, page.id)).overallStatus, 'OPERATIONAL')
  })

  test('faults, and monitors that are unknown, are 400 with their paths, and nothing is posted', async () => {
    const { client, published } = await tenantWithPage(api)
    await untouchedBy(client, async () => {
      for (const [body, paths] of badBodies) {
        const answer = await client.post(`/status-incidents/${published.id}/updates`, body)
        expectError(answer, 'validation_error', paths)
      }
    })
  })

  test('concurrent updates are all kept in a definite order', async () => {
    const { client, published } = await tenantWithPage(api)
    await Promise.all(Array.from({ length: 20 }, (_, i) => posted(client, published.id, { message: `No. ${i}` })))
    const { updates } = await currentPublished(client, published.id)
    assert.equal(updates.length, 21)
    assert.equal(new Set(updates.map(({ message }: Body) => message)).size, 21)
  })
}

function times(ms: number): Body {
  const at = new Date(ms).toISOString()
  return { publishedAt: at, createdAt: at }
}

function resolving(api: Api, clock: HandClock): void {
  test('RESOLVED sets the end and makes all affected monitors OPERATIONAL, even against the request', async () => {
    const { client, published, monitor, page } = await tenantWithPage(api)
    const operational = [{ monitorId: monitor.id, status: 'OPERATIONAL' }]
    assert.equal((await currentPage(client, page.id)).overallStatus, 'DEGRADED')
    clock.advance(5_000)
    const affectedMonitors = [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' }]
    const over = await posted(client, published.id, { status: 'RESOLVED', affectedMonitors })
    assert.equal(over.resolvedAt, new Date(clock.now()).toISOString())
    assert.deepEqual([over.affectedMonitors, over.updates[0].affectedMonitors], [operational, operational])
    assert.deepEqual(over.updates[1].affectedMonitors, published.affectedMonitors)
    assert.equal((await currentPage(client, page.id)).overallStatus, 'OPERATIONAL')
  })

  test('RESOLVED without a list makes the previous monitors OPERATIONAL, also when the incident is reopened', async () => {
    const { client, published, monitor, page } = await tenantWithPage(api)
    const over = await posted(client, published.id, { status: 'RESOLVED' })
    assert.deepEqual(over.affectedMonitors, [{ monitorId: monitor.id, status: 'OPERATIONAL' }])
    assert.equal((await currentPage(client, page.id)).overallStatus, 'OPERATIONAL')
    const again = await posted(client, published.id, { status: 'MONITORING' })
    assert.deepEqual(again.affectedMonitors, [{ monitorId: monitor.id, status: 'OPERATIONAL' }])
  })

  test('a later update reopens it unless it is RESOLVED, which keeps the first end', async () => {
    const { client, published, monitor, page } = await tenantWithPage(api)
    const over = await posted(client, published.id, { status: 'RESOLVED' })
    clock.advance(1_000)
    const still = await posted(client, published.id, { status: 'RESOLVED', message: 'A postmortem follows.' })
    assert.equal(still.resolvedAt, over.resolvedAt)
    const affectedMonitors = [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' }]
    const again = await posted(client, published.id, { status: 'INVESTIGATING', affectedMonitors })
    assert.deepEqual([again.status, again.resolvedAt], ['INVESTIGATING', null])
    assert.equal((await currentPage(client, page.id)).overallStatus, 'MAJOR_OUTAGE')
    clock.advance(1_000)
    const end = await posted(client, published.id, { status: 'RESOLVED' })
    assert.equal(end.resolvedAt, new Date(clock.now()).toISOString())
  })
}

function limits(api: Api): void {
  test('the 201st update is 409, and the incident can still be edited and resolved', async () => {
    const { client, published } = await tenantWithPage(api)
    for (let i = 1; i < 200; i += 1) await posted(client, published.id)
    const body = { status: 'RESOLVED', message: 'One too many' }
    const answer = await untouchedBy(client, () => client.post(`/status-incidents/${published.id}/updates`, body))
    expectError(answer, 'conflict')
    const edited = await client.patch(`/status-incidents/${published.id}`, { status: 'RESOLVED' })
    assert.deepEqual([edited.body.status, edited.body.updates.length], ['RESOLVED', 200])
  })
}
