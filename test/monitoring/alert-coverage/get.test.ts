import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { mailEnv } from '../../notifications/subscribers/mailing.ts'
import { type Engine, forEachEngine } from '../../support/engines.ts'
import { makeMonitor, useInstallation } from '../../support/person.ts'
import { startReceiver } from '../../support/receiver.ts'
import { bodyOf, startTestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp-server.ts'

const HOOK = { channel: 'WEBHOOK', settings: { url: 'https://hooks.example/alerts' } }

function scene(engine: Engine) {
  const installation = useInstallation(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  const make = (name: string) => makeMonitor(installation, name)
  const contact = async (fields: object = {}): Promise<string> => {
    return bodyOf(await installation.owner.post('/v1/contacts', { name: 'On call', ...HOOK, ...fields }), 201).id
  }
  const coverage = async (query = '') => (await installation.owner.get(`/v1/alert-coverage${query}`)).body
  beforeEach(async () => {
    const { owner } = installation
    for (const { id } of (await owner.get('/v1/monitors?limit=100')).body.data) await owner.delete(`/v1/monitors/${id}`)
    for (const { id } of (await owner.get('/v1/contacts')).body.data) await owner.delete(`/v1/contacts/${id}`)
  })
  return { installation, make, contact, coverage }
}

forEachEngine('the alert coverage', (engine) => {
  const { installation, make, contact, coverage } = scene(engine)

  test('names monitors that no contact covers, and leaves paused ones out', async () => {
    assert.deepEqual(await coverage(), { uncovered: 0, monitors: [], contacts: 'NONE', failing: [] })
    const ids = [await make('a'), await make('b'), await make('c'), await make('d')]
    const paused = await make('paused')
    await installation.owner.post(`/v1/monitors/${paused}/pause`, {})
    const { uncovered, monitors, contacts } = await coverage()
    assert.deepEqual([uncovered, contacts], [4, 'NONE'])
    assert.deepEqual(
      monitors.map(({ id }: { id: string }) => id),
      ids.slice(0, 3),
    )
    assert.equal((await coverage(`?monitorId=${ids[3]}`)).uncovered, 1)
    assert.equal((await coverage(`?monitorId=${paused}`)).uncovered, 0)
  })

  test('counts contacts with their exceptions', async () => {
    const [a, b] = [await make('a'), await make('b')]
    const all = await contact()
    assert.deepEqual(await coverage(), { uncovered: 0, monitors: [], contacts: 'USABLE', failing: [] })
    await installation.owner.delete(`/v1/monitors/${a}/contacts/${all}`)
    assert.partialDeepStrictEqual(await coverage(), { uncovered: 1, monitors: [{ id: a, name: 'a' }] })
    assert.equal((await coverage(`?monitorId=${b}`)).uncovered, 0)
    const some = await contact({ covers: 'CHOSEN' })
    await installation.owner.put(`/v1/monitors/${a}/contacts/${some}`)
    assert.equal((await coverage()).uncovered, 0)
  })

  test('counts contacts that cover monitors by their labels', async () => {
    const [a, b, c] = [await make('a'), await make('b'), await make('c')]
    await installation.owner.put(`/v1/monitors/${a}/labels`, { labels: { team: 'shop', env: 'prod' } })
    await installation.owner.put(`/v1/monitors/${b}/labels`, { labels: { team: 'shop' } })
    await contact({ covers: 'LABELS', selector: 'team=shop,env=prod' })
    const id = await contact({ covers: 'LABELS', selector: 'team=nobody' })
    const names = async () => (await coverage()).monitors.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(), ['b', 'c'])
    assert.deepEqual(
      [(await coverage(`?monitorId=${a}`)).uncovered, (await coverage(`?monitorId=${c}`)).uncovered],
      [0, 1],
    )
    await installation.owner.patch(`/v1/contacts/${id}`, { selector: '!team' })
    assert.deepEqual(await names(), ['b'])
    await installation.owner.post(`/v1/contacts/${id}/disable`)
    assert.deepEqual(await names(), ['b', 'c'])
  })

  test('a contact that is disabled or gets no alerts of outages covers nothing', async () => {
    await make('a')
    const id = await contact({ kinds: ['CERTIFICATE_EXPIRING'] })
    assert.deepEqual([(await coverage()).uncovered, (await coverage()).contacts], [1, 'NO_OUTAGES'])
    await installation.owner.post(`/v1/contacts/${id}/disable`)
    assert.deepEqual([(await coverage()).uncovered, (await coverage()).contacts], [1, 'DISABLED'])
  })
})

forEachEngine('contacts that alerts do not reach', (engine) => {
  const { installation, make, contact, coverage } = scene(engine)

  test('a contact whose messages fail counts as no coverage until one arrives, and is marked wherever it is shown', async () => {
    await using receiver = await startReceiver()
    const { owner } = installation
    const monitor = await make('a')
    const id = await contact({ name: 'Ops', settings: { url: receiver.url } })
    assert.equal((await coverage()).uncovered, 0)
    receiver.status = 500
    await owner.post(`/v1/contacts/${id}/test`)
    const failed = await coverage()
    assert.partialDeepStrictEqual(failed, { uncovered: 1, contacts: 'FAILING' })
    assert.partialDeepStrictEqual(failed.failing, [{ id, name: 'Ops', channel: 'WEBHOOK', problem: 'FAILING' }])
    assert.match(failed.failing[0].lastError, /^Webhook returned HTTP 500/)
    assert.equal((await owner.get(`/v1/monitors/${monitor}/contacts`)).body.data[0].problem, 'FAILING')
    assert.partialDeepStrictEqual((await owner.get('/setup-checklist')).body, {
      contact: false,
      failing: { name: 'Ops' },
    })
    receiver.status = 200
    await owner.post(`/v1/contacts/${id}/test`)
    assert.deepEqual(await coverage(), { uncovered: 0, monitors: [], contacts: 'USABLE', failing: [] })
    assert.partialDeepStrictEqual((await owner.get('/setup-checklist')).body, { contact: true, failing: null })
  })

  test('a contact whose channel the operator has not set up covers nothing', async () => {
    await make('a')
    // The address of a member, so it needs no confirmation.
    const id = await contact({ channel: 'EMAIL', settings: { address: 'owner@example.com' } })
    const { uncovered, contacts, failing } = await coverage()
    assert.deepEqual([uncovered, contacts, failing[0].problem], [1, 'NOT_CONFIGURED', 'NOT_CONFIGURED'])
    assert.equal((await installation.owner.get(`/v1/contacts/${id}`)).body.problem, 'NOT_CONFIGURED')
    const { data } = (await installation.owner.get('/v1/contact-channels')).body
    const missing = data.filter((one: { configured: boolean }) => !one.configured)
    assert.deepEqual(
      missing.map(({ name }: { name: string }) => name),
      ['EMAIL'],
    )
  })

  test('the monitor list has the uncovered monitors, also by labels', async () => {
    const { owner } = installation
    const [a, b] = [await make('a'), await make('b')]
    const paused = await make('paused')
    await owner.post(`/v1/monitors/${paused}/pause`, {})
    const names = async (more = '') =>
      (await owner.get(`/v1/monitor-list?uncovered=true${more}`)).body.data.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(), ['a', 'b'])
    await owner.put(`/v1/monitors/${a}/labels`, { labels: { team: 'shop' } })
    await contact({ covers: 'LABELS', selector: 'team=shop' })
    assert.deepEqual(await names(), ['b'])
    assert.deepEqual([await names('&q=b'), await names('&labels=team')], [['b'], []])
    assert.deepEqual(await names('&sort=uptime'), ['b'])
    const some = await contact({ covers: 'CHOSEN' })
    await owner.put(`/v1/monitors/${b}/contacts/${some}`)
    assert.deepEqual(await names(), [])
    assert.equal((await owner.get('/v1/monitor-list')).body.pagination.total, 3)
  })
})

forEachEngine('the alert coverage with a mail server', (engine) => {
  test('an address that is not confirmed covers nothing', async () => {
    await using smtp = await startSmtp()
    await using server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api', ...mailEnv(smtp.port) } })
    const client = server.client()
    await client.post('/monitors', { name: 'a', type: 'CRON' })
    await client.post('/contacts', { name: 'x', channel: 'EMAIL', settings: { address: 'somebody@example.net' } })
    const { uncovered, contacts, failing } = (await client.get('/alert-coverage')).body
    assert.deepEqual([uncovered, contacts, failing], [1, 'UNCONFIRMED', []])
  })
})
