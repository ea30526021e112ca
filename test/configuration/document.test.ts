import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Api, useApi } from '../support/api.ts'
import { apply, faultsOf, idOf, plan } from './support.ts'

const sections = 'version, source, defaults, monitors, statusPages, contacts, maintenanceWindows, webhookEndpoints'

describe('a document', () => {
  const api = useApi('sqlite')

  test('has all its faults reported at once, with the nearest known name', async () => {
    const { client } = await api.tenant()
    const faults = await faultsOf(client, {
      version: 2,
      source: 'Shop',
      monitor: {},
      escalationPolicies: { night: {} },
      defaults: { monitors: { intervalSecond: 60 } },
      monitors: {
        Shop: { name: 'Shop', type: 'CRON' },
        web: {
          name: 'Web',
          type: 'HTTP',
          uri: 'https://shop.example',
          dependsOn: ['db'],
          labels: { Team: 'x' },
          schedule: { cron: '* * * * *' },
        },
      },
      statusPages: {
        main: { name: 'Main', sections: [{ name: 'All', monitors: [{ monitor: 'wbe' }], selektor: 'a' }] },
      },
      maintenanceWindows: {
        w: { name: 'W', startsAt: '2030-01-01T00:00Z', endsAt: '2029-01-01T00:00Z', monitors: [] },
      },
    })
    assert.deepEqual(
      faults.map((fault) => fault.split(':')[0]).toSorted(),
      [
        'document.monitor is not a known field; did you mean monitors?',
        `document.escalationPolicies is not a known field; known are ${sections}`,
        'document.version must be 1',
        'document.source is not a source',
        'document.monitors.Shop is not a key',
        'document.defaults.monitors.intervalSecond is not a known field; did you mean intervalSeconds?',
        'document.monitors.web.uri is not a known field; did you mean url?',
        'document.monitors.web.dependsOn is not a known field',
        'document.monitors.web.url is required for HTTP monitors',
        'document.monitors.web.labels.Team is not a label key',
        'document.monitors.web.schedule does not fit',
        'document.statusPages.main.sections.0.selektor is not a known field; did you mean selector?',
        'document.maintenanceWindows.w.endsAt must be after startsAt',
        'document.maintenanceWindows.w.monitors must contain a monitor, unless allMonitors is true or selector is set',
      ].toSorted(),
    )
  })

  test('refers to its own keys, to other sources and to ids; anything else is a fault', async () => {
    const { client } = await api.tenant()
    await apply(client, { version: 1, source: 'base', monitors: { db: { name: 'DB', type: 'CRON' } } })
    const { body: other } = await client.post('/monitors', { name: 'By hand', type: 'CRON' })
    const page = (references: readonly string[]) => ({
      version: 1,
      statusPages: {
        main: { name: 'Main', sections: [{ name: 'All', monitors: references.map((monitor) => ({ monitor })) }] },
      },
    })
    await apply(client, page(['base/db', other.id]))
    assert.deepEqual(
      (await faultsOf(client, page(['base/web', 'db', 'mon_unknown']))).map((fault) => fault.split(' ')[0]),
      [0, 1, 2].map((i) => `document.statusPages.main.sections.0.monitors.${i}.monitor`),
    )
  })

  test('in which two resources are the same one, or one is of another source, has a fault', async () => {
    const { client } = await api.tenant()
    const job = { name: 'Job', type: 'CRON' }
    await apply(client, { version: 1, source: 'base', monitors: { db: job } })
    const stolen = { ...job, id: await idOf(client, '/monitors', 'Job') }
    assert.deepEqual(await faultsOf(client, { version: 1, monitors: { stolen } }), [
      'document.monitors.stolen.id is managed by the source base as db',
    ])
    await apply(client, { version: 1, monitors: { job } })
    const { body: other } = await client.post('/monitors', job)
    const twice = (more: object) => ({ version: 1, monitors: { a: { ...job, ...more }, b: { ...job, ...more } } })
    assert.deepEqual(
      [...(await faultsOf(client, twice({ id: other.id }))), ...(await faultsOf(client, twice({ was: 'job' })))],
      ['document.monitors.b.id names the same monitor as a', 'document.monitors.b.was names the same monitor as a'],
    )
  })

  asSent(api)
})

function asSent(api: Api): void {
  test('may be compressed, and larger than other bodies', async () => {
    const { client, key } = await api.tenant()
    const jobs = Array.from({ length: 6_000 }, (_, i) => [`job-${i}`, { name: `Job ${i}`, type: 'CRON' }])
    const body = JSON.stringify({ document: { version: 1, monitors: Object.fromEntries(jobs) } })
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const url = `${api.server.url}/api/v1/configuration/plan`
    const answer = await fetch(url, { method: 'POST', headers, body: gzipSync(body) })
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as { summary: { create: number } }).summary.create, 6_000)
    const bomb = await fetch(url, { method: 'POST', headers, body: gzipSync(Buffer.alloc(17 * 1024 * 1024, ' ')) })
    assert.equal(bomb.status, 400)
    assert.equal((await plan(client, { version: 1 })).changes.length, 0)
  })
}
