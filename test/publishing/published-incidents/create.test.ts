import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import {
  type Body,
  createPage,
  createPublished,
  currentPage,
  currentPublished,
  showing,
  untouchedBy,
} from '../../support/status.ts'
import { startHttpTarget } from '../../support/targets.ts'

const sound = { title: 'T', message: 'M', statusPageIds: ['page_x'] }

/** Bodies that break rules beyond the schema. */
const badBodies: readonly (readonly [body: Body, paths: readonly string[]])[] = [
  [{ ...sound, statusPageIds: ['a', 'b', 'a'] }, ['statusPageIds.2']],
  [
    { ...sound, affectedMonitors: ['DEGRADED', 'MAJOR_OUTAGE'].map((status) => ({ monitorId: 'm', status })) },
    ['affectedMonitors.1.monitorId'],
  ],
  [{ ...sound, startedAt: '1969-12-31T23:59:59Z' }, ['startedAt']],
  [{ ...sound, startedAt: '9999-12-31T23:59:59-01:00' }, ['startedAt']],
  [{ ...sound, resolvedAt: null, updates: [], id: 'x' }, ['id', 'resolvedAt', 'updates']],
  [
    { title: 1, status: 'x', impact: 'x', statusPageIds: [''], affectedMonitors: [{}], startedAt: 'x', more: 1 },
    [
      ...['affectedMonitors.0.monitorId', 'affectedMonitors.0.status', 'impact', 'message', 'more', 'startedAt'],
      ...['status', 'statusPageIds.0', 'title'],
    ],
  ],
]

forEachEngine('POST /status-incidents', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock })
  creation(api, clock)
  references(api)
  effects(api)
})

function creation(api: Api, clock: HandClock): void {
  test('only title, message and a page are required; everything else has a default', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client)
    const { id, updates, ...rest } = await createPublished(client, page.id, { title: 'Slow', message: 'Looking.' })
    const now = new Date(clock.now()).toISOString()
    assert.deepEqual(rest, {
      title: 'Slow',
      status: 'INVESTIGATING',
      impact: 'MINOR',
      statusPageIds: [page.id],
      affectedMonitors: [],
      incidentId: null,
      startedAt: now,
      resolvedAt: null,
      postmortem: null,
      createdAt: now,
      updatedAt: now,
    })
    const [{ id: _, ...first }, ...more] = updates
    const expected = {
      status: 'INVESTIGATING',
      message: 'Looking.',
      affectedMonitors: [],
      publishedAt: now,
      createdAt: now,
    }
    assert.deepEqual([first, more], [expected, []])
    assert.deepEqual(await currentPublished(client, id), { id, updates, ...rest })
  })

  test('every field is stored as sent, and the message becomes the first update', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('HTTP', { url: target.url }))
    await client.post(`/monitors/${monitor.id}/check`, {})
    const [incident] = (await client.get('/incidents')).body.data
    const pages = [await createPage(client), await createPage(client)]
    const body = {
      title: 'Störung – Kasse ☂',
      status: 'IDENTIFIED',
      impact: 'CRITICAL',
      statusPageIds: pages.map(({ id }) => id).toReversed(),
      affectedMonitors: [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' }],
      incidentId: incident.id,
      startedAt: '2026-02-03T04:05:06.789Z',
      postmortem: '# What happened\n\n*Everything*',
    }
    const published = await createPublished(client, '', {
      ...body,
      message: '**Bold** <b>&amp;\u2028',
      notifySubscribers: false,
    })
    assert.partialDeepStrictEqual(published, body)
    const { affectedMonitors, status } = body
    assert.partialDeepStrictEqual(published.updates, [{ message: '**Bold** <b>&amp;\u2028', status, affectedMonitors }])
    assert.deepEqual(await currentPublished(client, published.id), published)
  })

  test('texts of maximum length are accepted', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client)
    const extremes = { title: '😀'.repeat(200), message: '😀'.repeat(5000), postmortem: 'x'.repeat(50_000) }
    const published = await createPublished(client, page.id, extremes)
    assert.equal(published.title, extremes.title)
    assert.equal(published.updates[0].message, extremes.message)
    assert.equal((await createPublished(client, page.id, { postmortem: '' })).postmortem, '')
  })

  test('startedAt may have any offset, with or without seconds', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client)
    for (const [startedAt, returned] of [
      ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000Z'],
      ['2026-01-01T01:30:00+01:30', '2026-01-01T00:00:00.000Z'],
      ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.000Z'],
      ['1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
      ['2031-05-06T07:08:09.123456789Z', '2031-05-06T07:08:09.123Z'],
    ]) {
      assert.equal((await createPublished(client, page.id, { startedAt })).startedAt, returned)
    }
  })

  test('an incident created as RESOLVED has an end, and its monitors are OPERATIONAL', async () => {
    const { client } = await api.tenant()
    const [page, monitor] = [await createPage(client), await createMonitor(client, smallest('CRON'))]
    const affectedMonitors = [{ monitorId: monitor.id, status: 'MAJOR_OUTAGE' }]
    const body = { status: 'RESOLVED', affectedMonitors, startedAt: '2026-01-01T00:00:00Z' }
    const published = await createPublished(client, page.id, body)
    assert.equal(published.resolvedAt, new Date(clock.now()).toISOString())
    for (const { affectedMonitors: shown } of [published, published.updates[0]]) {
      assert.deepEqual(shown, [{ monitorId: monitor.id, status: 'OPERATIONAL' }])
    }
  })

  test('an incident never ends before its start', async () => {
    const { client } = await api.tenant()
    const page = await createPage(client)
    const startedAt = '2099-01-01T00:00:00.000Z'
    const published = await createPublished(client, page.id, { status: 'RESOLVED', startedAt })
    assert.equal(published.resolvedAt, startedAt)
  })
}

describe('faults of POST /status-incidents', () => {
  const api = useApi('sqlite')

  test('are 400 with their paths, and nothing is published', async () => {
    const { client } = await api.tenant()
    await untouchedBy(client, async () => {
      for (const [body, paths] of badBodies) {
        expectError(await client.post('/status-incidents', body), 'validation_error', paths)
      }
    })
  })
})

function references(api: Api): void {
  test('unknown pages, monitors and incidents, and those of others, are 400 with their paths', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const [{ client }, other] = [await api.tenant(), await api.tenant()]
    const [page, monitor] = [await createPage(client), await createMonitor(client, smallest('CRON'))]
    const foreign = await createMonitor(other.client, smallest('HTTP', { url: target.url }))
    await other.client.post(`/monitors/${foreign.id}/check`, {})
    const [incident] = (await other.client.get('/incidents')).body.data
    const body = {
      title: 'T',
      message: 'M',
      statusPageIds: [page.id, (await createPage(other.client)).id, 'page_unknown'],
      affectedMonitors: [monitor.id, foreign.id, 'mon_unknown'].map((monitorId) => ({ monitorId, status: 'DEGRADED' })),
      incidentId: incident.id,
    }
    const answer = await untouchedBy(client, () => client.post('/status-incidents', body))
    expectError(answer, 'validation_error', [
      'statusPageIds.1',
      'statusPageIds.2',
      'affectedMonitors.1.monitorId',
      'affectedMonitors.2.monitorId',
      'incidentId',
    ])
  })

  test('deleting a monitor unlinks its detected incidents', async () => {
    await using target = await startHttpTarget()
    target.status = 500
    const { client } = await api.tenant()
    const [page, monitor] = [
      await createPage(client),
      await createMonitor(client, smallest('HTTP', { url: target.url })),
    ]
    await client.post(`/monitors/${monitor.id}/check`, {})
    const [incident] = (await client.get('/incidents')).body.data
    const { id } = await createPublished(client, page.id, { incidentId: incident.id })
    await client.delete(`/monitors/${monitor.id}`)
    assert.equal((await currentPublished(client, id)).incidentId, null)
  })
}

function effects(api: Api): void {
  test('while active it determines the overall status of its pages, and of no others', async () => {
    const { client } = await api.tenant()
    const monitor = await createMonitor(client, smallest('CRON'))
    const [own, other] = [
      await createPage(client, { sections: [showing(monitor)] }),
      await createPage(client, { sections: [showing(monitor)] }),
    ]
    for (const [status, overall] of [
      ['OPERATIONAL', 'OPERATIONAL'],
      ['DEGRADED', 'DEGRADED'],
      ['PARTIAL_OUTAGE', 'PARTIAL_OUTAGE'],
      ['MAJOR_OUTAGE', 'MAJOR_OUTAGE'],
    ]) {
      const affectedMonitors = [{ monitorId: monitor.id, status }]
      const { id } = await createPublished(client, own.id, { affectedMonitors })
      assert.equal((await currentPage(client, own.id)).overallStatus, overall)
      assert.equal((await currentPage(client, other.id)).overallStatus, 'OPERATIONAL')
      await client.delete(`/status-incidents/${id}`)
      assert.equal((await currentPage(client, own.id)).overallStatus, 'OPERATIONAL')
    }
  })
}
