import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { insertContact } from '../../src/notifications/contacts/create.ts'
import { type ChangingSites, type Site, startChangingSites } from '../monitoring/evidence/changing-sites.ts'
import { check } from '../monitoring/incidents/incidents.ts'
import { quickTiming, sealer } from '../notifications/contacts/alerting.ts'
import { startService } from '../notifications/contacts/service.ts'
import { eventually } from '../support/eventually.ts'
import { createMonitor } from '../support/monitors.ts'
import { startHttpTarget } from '../support/targets.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'
import { createMonitors } from './publishing.ts'

/** What is changed at a site before it fails, and the sentence that must come first. */
const planted: Readonly<Record<string, [change: (site: Site, sites: ChangingSites) => void, first: RegExp]>> = {
  certificate: [
    (site, { trusted }) => Object.assign(site, { credentials: trusted.issue({ hosts: ['certificate.test'] }) }),
    /^Certificate replaced just before\.$/,
  ],
  issuer: [
    (site, { other }) => Object.assign(site, { credentials: other.issue({ hosts: ['issuer.test'] }) }),
    /^Certificate replaced: issuer changed from "[^"]*First CA[^"]*" to "[^"]*Second CA[^"]*" just before\.$/,
  ],
  redirect: [
    (site) => Object.assign(site, { redirect: true }),
    /^Final URL changed from "https:\/\/redirect\.test:\d+\/" to "[^"]*\/welcome" just before\.$/,
  ],
  server: [
    (site) => Object.assign(site, { server: 'nginx/1.27' }),
    /^Server changed from nginx\/1\.26 to nginx\/1\.27 just before\.$/,
  ],
  title: [
    (site) => Object.assign(site, { title: 'Closed' }),
    /^Page title changed from "Shop" to "Closed" just before\.$/,
  ],
  address: [
    (site) => Object.assign(site, { address: '127.0.0.2' }),
    /^IP address changed from 127\.0\.0\.1 to 127\.0\.0\.2 just before\.$/,
  ],
  alias: [
    (site) => Object.assign(site, { alias: 'two.example' }),
    /^DNS answer changed from one\.example to two\.example just before\.$/,
  ],
  // A busy machine is slow too, so it is a lot.
  slow: [
    (site) => Object.assign(site, { tlsDelayMs: 3_000, status: 503 }),
    /^The TLS handshake took 3\d{3} ms instead of/,
  ],
}

describe('What changed before an incident', { skip: withoutBrowser }, () => {
  const dashboard = useDashboard({
    env: { PHAROS_PRIVATE_WEBHOOKS: 'allow', PHAROS_CONFIRM_DELAYS: '' },
    alertPace: quickTiming,
  })

  test('is on its page: the summary, the values before and after, and the usual and the present phases', async () => {
    await using target = await startHttpTarget()
    const client = dashboard.server.client()
    target.body = '<html><title>Shop</title></html>'
    const { Checkout: monitorId = '' } = await createMonitors(client, target.url, ['Checkout'])
    for (let i = 0; i < 22; i += 1) await check(client, monitorId)
    target.body = '<html><title>Out of stock</title></html>'
    await check(client, monitorId)
    target.status = 503
    await check(client, monitorId)
    const { data } = (await client.get(`/incidents?monitorId=${monitorId}`)).body
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/incidents/${data[0].id}`))
    const section = page.locator('section', { hasText: 'What changed' })
    await section.getByText('from "Shop" to "Out of stock"').first().waitFor()
    await section.getByText('Page title').first().waitFor()
    await section.getByText('Time to first byte').first().waitFor()
    assert.match(await section.first().innerText(), /usually \d+ ms\s+now \d+ ms/)
    await expectAccessible(page, 'incident-evidence')
  })

  test('is named first in the API, in the alert and on the page, whatever of a real site was changed', async () => {
    await using sites = await startChangingSites()
    await using service = await startService(() => ({ status: 200 }))
    const { server } = dashboard
    const client = server.client()
    const contact = { name: 'Hook', channel: 'WEBHOOK', settings: { url: service.url } } as const
    const orgId = await server.defaultOrgId()
    await server.running.database.write(() => insertContact({ orgId, ...contact }, sealer, Date.now()))
    const summaries = new Map<string, { id: string; summary: string[] }>()
    const failSite = async (name: string, [change, first]: (typeof planted)[string]) => {
      const { settings, request, site } = sites.monitorOf(name)
      const { id } = await createMonitor(client, { ...settings, intervalSeconds: 3600 })
      assert.equal((await client.send('PUT', `/monitors/${id}/request`, request)).status, 200)
      for (let i = 0; i < 22; i += 1) assert.equal((await check(client, id)).state, 'UP', name)
      change(site, sites)
      if (site.status === 200) assert.equal((await check(client, id)).state, 'UP', name)
      site.status = 503
      assert.equal((await check(client, id)).state, 'DOWN', name)
      const [incident] = (await client.get(`/incidents?monitorId=${id}`)).body.data
      const { summary } = (await client.get(`/incidents/${incident.id}/evidence`)).body
      assert.match(summary[0] ?? '', first, name)
      summaries.set(name, { id: incident.id, summary })
    }
    // A message has the summaries of at most five incidents, so the alerts of the first half are awaited.
    const all = Object.entries(planted)
    for (const half of [all.slice(0, 4), all.slice(4)]) {
      await Promise.all(half.map(([name, one]) => failSite(name, one)))
      await eventually(async () => {
        const alerts = service.received.flatMap(({ body }) => body.alerts)
        for (const [name, { id, summary }] of summaries) {
          const sent = alerts.find((alert) => alert.incidentId === id)
          assert.deepEqual(sent?.summary, summary, name)
        }
      })
    }
    const page = await dashboard.open()
    for (const [name, { id, summary }] of summaries) {
      await page.goto(dashboard.at(`/incidents/${id}`))
      const shown = page.locator('section', { hasText: 'What changed' }).locator('p').first()
      assert.equal(await shown.innerText(), summary[0], name)
    }
  })
})
