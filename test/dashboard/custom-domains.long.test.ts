import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { DAY_MS } from '../../src/lib/clock.ts'
import { HandClock } from '../support/clock.ts'
import { type DnsAnswer, type DnsServer, NXDOMAIN, startDnsServer } from '../support/dns-server.ts'
import { eventually } from '../support/eventually.ts'
import { expectAccessible, useDashboard, withoutBrowser } from './dashboard.ts'

const DOMAIN = 'status.acme.example'

describe('The custom domain in the editor of a status page', { skip: withoutBrowser }, () => {
  const clock = new HandClock()
  const zone = new Map<string, DnsAnswer>()
  let unknown: DnsAnswer = NXDOMAIN
  const env: Record<string, string> = { PHAROS_DOMAIN_PROOF: 'required' }
  let dns: DnsServer
  before(async () => {
    dns = await startDnsServer(({ name, type }) => zone.get(`${name} ${type}`) ?? unknown)
    env.PHAROS_DNS_SERVERS = dns.address
  })
  const dashboard = useDashboard({ env, clock })
  after(() => dns[Symbol.asyncDispose]())

  const opened = async (): Promise<{ page: Page; id: string }> => {
    const { body } = await dashboard.server.client().post('/status-pages', { name: 'Acme', published: true })
    const page = await dashboard.open()
    await page.goto(dashboard.at(`/status-pages/${body.id}`))
    await page.getByText('Name and address').click()
    return { page, id: body.id }
  }

  test('shows the records to create and every state until the domain is released', async () => {
    // The first check ends after the screen has loaded the state of the domain.
    unknown = { ...NXDOMAIN, afterMs: 1500 }
    const { page } = await opened()
    await page.getByLabel('Custom domain', { exact: true }).fill(DOMAIN)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Waiting for DNS record').waitFor()
    await page.getByText('found: no records').waitFor()
    unknown = NXDOMAIN
    const records = page.getByRole('list', { name: 'DNS records' })
    const name = await records.getByText(`_pharos-verify.${DOMAIN}`).textContent()
    const value = await records.getByText(/^pharos-page=[0-9a-f]{32}$/).textContent()
    await records.getByRole('button', { name: `Copy ${value}` }).waitFor()
    await expectAccessible(page, 'domain-waiting')

    zone.set(`${name} TXT`, { records: ['pharos-page=wrong'] })
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('found: TXT pharos-page=wrong').waitFor()
    zone.set(`${name} TXT`, { records: [value as string] })
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('Verified, but does not point here').waitFor()
    await page.getByText('Verified since').waitFor()
    await page.locator(`a[href="https://${DOMAIN}"]`).waitFor()
    await expectAccessible(page, 'domain-verified')

    // The worker finds the next states, and the event stream brings them to the screen.
    zone.delete(`${name} TXT`)
    clock.advance(DAY_MS)
    await page.getByText('DNS record missing', { exact: true }).waitFor()
    await expectAccessible(page, 'domain-failing')
    clock.advance(3 * DAY_MS)
    await page.getByText('Not served: DNS record missing').waitFor()
    await expectAccessible(page, 'domain-unproven')
    clock.advance(4 * DAY_MS)
    await page.getByRole('button', { name: 'Check now' }).click()
    clock.advance(4 * DAY_MS)
    await page.getByText(`${DOMAIN} was released on`).waitFor()
    const field = page.getByLabel('Custom domain', { exact: true })
    await eventually(async () => assert.equal(await field.inputValue(), ''))
    await expectAccessible(page, 'domain-released')
  })

  test('explains how to move a domain from a page that has not proven it', async () => {
    const { key } = await dashboard.server.organization('SELF_HOSTED')
    const customDomain = 'taken.acme.example'
    await dashboard.server.client(key).post('/status-pages', { name: 'Squatter', customDomain })
    const { page, id } = await opened()
    await page.getByLabel('Custom domain', { exact: true }).fill(customDomain)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const alert = page.getByText('in use by another status page')
    await alert.waitFor()
    assert.equal(await page.getByLabel('Custom domain', { exact: true }).getAttribute('aria-invalid'), 'true')
    const [, value = ''] = /(pharos-page=\w+)/.exec((await alert.textContent()) ?? '') ?? []
    await expectAccessible(page, 'domain-taken')
    zone.set(`_pharos-verify.${customDomain} TXT`, { records: [value] })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Verified', { exact: true }).waitFor()
    const { body } = await dashboard.server.client().get(`/status-pages/${id}`)
    assert.equal(body.url, `https://${customDomain}`)
  })
})
