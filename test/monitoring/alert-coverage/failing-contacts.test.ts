import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { mailEnv } from '../../notifications/subscribers/mailing.ts'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { startReceiver } from '../../support/receiver.ts'
import { bodyOf, startTestServer } from '../../support/server.ts'
import { startSmtp } from '../../support/smtp-server.ts'

const HOOK = { channel: 'WEBHOOK', settings: { url: 'https://hooks.example/alerts' } }

forEachEngine('contacts that alerts do not reach', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })
  const make = async (name: string): Promise<string> => {
    const { body } = await installation.owner.post('/v1/monitors', { name, type: 'HTTP', url: 'https://example.com/' })
    return body.id
  }
  const contact = async (fields: object = {}): Promise<string> => {
    return bodyOf(await installation.owner.post('/v1/contacts', { name: 'On call', ...HOOK, ...fields }), 201).id
  }
  const coverage = async () => (await installation.owner.get('/v1/alert-coverage')).body
  beforeEach(async () => {
    const { owner } = installation
    for (const { id } of (await owner.get('/v1/monitors?limit=100')).body.data) await owner.delete(`/v1/monitors/${id}`)
    for (const { id } of (await owner.get('/v1/contacts')).body.data) await owner.delete(`/v1/contacts/${id}`)
  })

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
