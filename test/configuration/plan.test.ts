import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Tenant, useApi } from '../support/api.ts'
import { actionsOf, apply, cron, faultsOf, idOf, plan } from './support.ts'

const page = (slug: string, more: object = {}) => ({ name: 'Page', slug, ...more })

describe('a plan', () => {
  const api = useApi('sqlite')

  test('refuses slugs, domains and old addresses that another resource of the document or of the server has', async () => {
    const other = await api.tenant()
    await apply(other.client, {
      version: 1,
      statusPages: { p: page('taken-slug', { customDomain: 'status.taken.org' }) },
    })
    const { client } = await api.tenant()
    const legacyAddress = { tool: 'KUMA', token: 'd0w7Kx4pQz' }
    const document = {
      version: 1,
      statusPages: {
        a: page('same-slug', { customDomain: 'status.same.org' }),
        b: page('same-slug', { customDomain: 'Status.Same.org' }),
        c: page('taken-slug'),
        d: page('free-slug', { customDomain: 'status.taken.org' }),
        e: { name: 'Same slug' },
      },
      monitors: { one: { ...cron('One'), legacyAddress }, two: { ...cron('Two'), legacyAddress } },
    }
    assert.deepEqual(await faultsOf(client, document), [
      'document.statusPages.b.slug is also the slug of a',
      'document.statusPages.c.slug is in use; choose another one',
      'document.statusPages.b.customDomain is also the domain of a',
      'document.statusPages.d.customDomain is in use; choose another one',
      'document.monitors.two.legacyAddress.token is also the old address of one',
    ])
    const { a, e } = document.statusPages
    await apply(client, { version: 1, statusPages: { a, e } })
    // Pages are changed in order: what one gives up is free for those below it, not for those above.
    assert.deepEqual(
      await faultsOf(client, { version: 1, statusPages: { n: page('same-slug'), a: page('next-slug') } }),
      ['document.statusPages.n.slug is also the slug of a'],
    )
    await apply(client, { version: 1, statusPages: { a: page('next-slug'), n: page('same-slug') } })
  })

  test('refuses what is beyond the plan of the organization or the limit of contacts, with what exists already', async () => {
    const { client } = await api.tenant('FREE')
    assert.equal((await client.post('/monitors', cron('By hand'))).status, 201)
    const jobs = Array.from({ length: 10 }, (_, i) => [`job-${i}`, cron(`Job ${i}`)])
    const { status, body } = await client.post('/configuration/plan', {
      document: { version: 1, monitors: Object.fromEntries(jobs) },
    })
    assert.deepEqual([status, body.error.code], [422, 'plan_limit'])
    assert.deepEqual(
      await faultsOf(client, { version: 1, monitors: { job: { ...cron('Job'), intervalSeconds: 60 } } }),
      ['document.monitors.job.intervalSeconds must be at least 300: the FREE plan checks no faster'],
    )
    const contact = { name: 'Ops', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/x' } }
    const contacts = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`ops-${i}`, contact]))
    assert.deepEqual(await faultsOf(client, { version: 1, contacts }), [
      'document.contacts are too many: there would be 101, and an organization has at most 100',
    ])
  })
})

describe('what a plan says', () => {
  const api = useApi('sqlite')

  test('shows a contact that gets all kinds again as such', async () => {
    const { client } = await api.tenant()
    const contact = { name: 'Ops', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/x' } }
    await apply(client, { version: 1, contacts: { ops: { ...contact, kinds: ['OPENED'] } } })
    const { changes } = await plan(client, { version: 1, contacts: { ops: contact } })
    assert.deepEqual(changes[0]?.fields, [{ path: 'kinds', before: ['OPENED'], after: 'all kinds' }])
  })

  test('adds the labels of a resource to those of the defaults, and names the place of a wrong one', async () => {
    const { client } = await api.tenant()
    const document = {
      version: 1,
      defaults: { monitors: { labels: { env: 'prod', team: 'all' }, graceSeconds: 90 } },
      monitors: { job: { ...cron('Job'), labels: { team: 'shop' } }, other: cron('Other') },
    }
    await apply(client, document)
    const labelsOf = async (name: string) =>
      (await client.get(`/monitors/${await idOf(client, '/monitors', name)}/labels`)).body.labels
    assert.deepEqual(await labelsOf('Job'), { env: 'prod', team: 'shop' })
    assert.deepEqual(await labelsOf('Other'), { env: 'prod', team: 'all' })
    assert.deepEqual(actionsOf((await plan(client, document)).changes), [])
    const wrong = { defaults: { monitors: { labels: { 'Not valid': 'x' } } }, monitors: document.monitors }
    const [fault = ''] = await faultsOf(client, { version: 1, ...wrong })
    assert.match(fault, /^document\.defaults\.monitors\.labels\.Not valid /)
  })

  test('names the known settings of a channel, and lists nothing where no name is known', async () => {
    const { client } = await api.tenant()
    const contact = { name: 'Ops', channel: 'WEBHOOK', settings: { url: 'https://hooks.example/x', headername: 'x' } }
    const chat = { name: 'Chat', channel: 'SLACK', settings: { webhookUrl: 'https://hooks.slack.com/x', address: 'x' } }
    assert.deepEqual(await faultsOf(client, { version: 1, contacts: { contact, chat } }), [
      'document.contacts.contact.settings.headername is not a known field; did you mean headerName?',
      'document.contacts.chat.settings.address is not a known field; known are webhookUrl',
    ])
  })

  test('asks whether a resource that looks like one that is missing was renamed', async () => {
    const { client } = await api.tenant()
    const shop = { name: 'Shop', type: 'HTTP', url: 'https://shop.example/' }
    await apply(client, { version: 1, monitors: { shop, job: cron('Job') } })
    const warnings = async (monitors: object) =>
      (await plan(client, { version: 1, monitors })).changes.map(({ warning }) => warning)
    assert.deepEqual(await warnings({ 'web-shop': shop, job: cron('Job') }), [
      'Renamed? To keep the monitor that was shop, add was: shop',
      undefined,
      undefined,
    ])
    for (const changed of [
      { ...shop, name: 'Other' },
      { ...shop, url: 'https://other.example/' },
    ]) {
      assert.deepEqual(await warnings({ 'web-shop': changed, job: cron('Job') }), [undefined, undefined, undefined])
    }
    assert.deepEqual(await warnings({ 'web-shop': { ...shop, was: 'shop' }, job: cron('Job') }), [undefined, undefined])
  })

  test('has the number that applying its deletions needs', async () => {
    const tenant = await api.tenant()
    assert.equal(await confirmationFor(tenant, 4), undefined)
    assert.equal(await confirmationFor(tenant, 3), 2)
  })
})

/** With five jobs, of which so many stay. */
async function confirmationFor({ client }: Tenant, kept: number): Promise<number | undefined> {
  const jobs = Array.from({ length: 5 }, (_, i) => [`job-${i}`, cron(`Job ${i}`)] as const)
  await apply(client, { version: 1, monitors: Object.fromEntries(jobs) })
  const document = { version: 1, monitors: Object.fromEntries(jobs.slice(0, kept)) }
  const { planId, confirmDeletes } = (await client.post('/configuration/plan', { document, delete: true })).body
  const { status } = await client.post('/configuration/apply', { planId })
  assert.equal(status, confirmDeletes === undefined ? 200 : 400)
  return confirmDeletes
}
