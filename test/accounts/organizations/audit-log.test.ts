import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneAuditEntries } from '../../../src/events/audit.ts'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { joinByInvitation, PASSWORD, type TestInstallation, useInstallation } from '../../support/person.ts'

interface Entry {
  readonly id: string
  readonly action: string
  readonly target: string | null
  readonly targetName: string | null
  readonly fields: readonly string[]
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string }
  readonly requestId: string | null
}

function logOf(installation: TestInstallation) {
  const log = async (query = ''): Promise<readonly Entry[]> =>
    (await installation.owner.get(`/v1/audit-log${query}`)).body.data
  return { log, latest: async (): Promise<Entry> => (await log('?limit=1'))[0] as Entry }
}

forEachEngine('the audit log', (engine) => {
  const installation = useInstallation(engine)
  const { log, latest } = logOf(installation)

  test('records changes made in a session and with an API key', async () => {
    const { owner, server } = installation
    const { body: monitor, headers } = await owner.post('/v1/monitors', { name: 'Shop', type: 'CRON' })
    const created = await latest()
    assert.deepEqual(
      [created.action, created.target, created.targetName, created.actor.type, created.actor.name],
      ['createMonitor', monitor.id, 'Shop', 'USER', 'owner'],
    )
    assert.equal(created.requestId, headers.get('x-request-id'))
    await server.client().patch(`/monitors/${monitor.id}`, { name: 'Store', intervalSeconds: 120 })
    const changed = await latest()
    assert.deepEqual(
      [changed.action, changed.target, changed.fields, changed.actor.type, changed.actor.name],
      ['updateMonitor', monitor.id, ['name', 'intervalSeconds'], 'API_KEY', 'First key'],
    )
    await owner.delete(`/v1/monitors/${monitor.id}`)
    assert.deepEqual(
      (await log(`?target=${monitor.id}`)).map(({ action }) => action),
      ['deleteMonitor', 'updateMonitor', 'createMonitor'],
    )
  })

  test('records no refused, reading, replayed or trial requests', async () => {
    const { owner } = installation
    await owner.post('/v1/monitors', { name: 'once', type: 'CRON' })
    const before = await latest()
    await owner.post('/v1/monitors', { name: '' })
    await owner.get('/v1/monitors')
    await owner.delete('/v1/monitors/mon_nobody')
    await owner.post('/v1/monitors/try', { name: 'x', type: 'HTTP', url: 'http://127.0.0.1:1/' })
    await owner.patch('/me', { name: 'Owner' })
    await owner.patch('/me', { name: 'owner' })
    assert.equal((await latest()).id, before.id)
    const send = () => owner.send('POST', '/v1/monitors', { name: 'twice', type: 'CRON' }, { 'idempotency-key': 'k' })
    await send()
    const first = await latest()
    await send()
    assert.equal((await latest()).id, first.id)
  })

  test('records changes of members, invitations, keys and contacts, without secrets', async () => {
    const { owner } = installation
    const person = await joinByInvitation(installation, 'someone@example.com', 'MEMBER')
    const { body: key } = await owner.post('/keys', { name: 'CI', access: 'full' })
    const { body: next } = await owner.post(`/keys/${key.id}/replace`)
    const settings = { url: 'https://example.com/very-secret-path-123456' }
    const { body: contact } = await owner.post('/v1/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
    const { body: me } = await person.get('/me')
    await owner.patch(`/members/${me.user.id}`, { role: 'VIEWER' })
    const entries = await log('?limit=100')
    const has = (action: string, target: string) =>
      assert.ok(
        entries.some((entry) => entry.action === action && entry.target === target),
        `${action} ${target}`,
      )
    has('acceptInvitation', me.user.id)
    has('createKey', key.id)
    has('replaceKey', key.id)
    has('createContact', contact.id)
    has('updateMember', me.user.id)
    assert.ok(
      entries.some(({ action }) => action === 'setUp') && entries.some(({ action }) => action === 'createInvitation'),
    )
    for (const secret of [key.key, next.key, 'very-secret-path', PASSWORD]) {
      assert.ok(!JSON.stringify(entries).includes(secret))
    }
  })

  test('can be paged and filtered by actor', async () => {
    const { owner } = installation
    const everything = await log('?limit=100')
    const { body: first } = await owner.get('/v1/audit-log?limit=3')
    assert.deepEqual(first.pagination, { limit: 3, offset: 0, total: everything.length })
    const { body: second } = await owner.get('/v1/audit-log?limit=3&offset=3')
    assert.deepEqual([...first.data, ...second.data], everything.slice(0, 6))
    const { body: me } = await owner.get('/me')
    const mine = await log(`?actorId=${me.user.id}`)
    assert.ok(mine.length > 0 && mine.every(({ actor }) => actor.id === me.user.id))
    const { body: last } = await owner.get(`/v1/audit-log?offset=${everything.length}`)
    assert.deepEqual(last, { data: [], pagination: { limit: 25, offset: everything.length, total: everything.length } })
    const since = new Date(Date.now() + DAY_MS).toISOString()
    assert.equal((await owner.get(`/v1/audit-log?since=${since}`)).body.pagination.total, 0)
  })

  test('is separate for each organization, and entries expire after a year', async () => {
    const { server } = installation
    const { key } = await server.organization('FREE')
    const { body: foreign } = await server.client(key).post('/monitors', { name: 'theirs', type: 'CRON' })
    assert.deepEqual(await log(`?target=${foreign.id}`), [])
    const { database } = server.running
    const prune = (now: number) => database.write(() => pruneAuditEntries(now, 10_000))
    assert.equal(await prune(Date.now() + 364 * DAY_MS), 0)
    assert.ok((await prune(Date.now() + 366 * DAY_MS)) > 5)
    assert.deepEqual(await log(), [])
  })
})

forEachEngine('the entries of the audit log', (engine) => {
  const installation = useInstallation(engine)
  const { log, latest } = logOf(installation)

  test('names what was changed, as it was called at that time', async () => {
    const { owner } = installation
    const named = async () => {
      const { action, targetName } = await latest()
      return [action, targetName]
    }
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'Old blog', type: 'CRON' })
    await owner.post(`/v1/monitors/${monitor.id}/pause`, {})
    assert.deepEqual(await named(), ['pauseMonitor', 'Old blog'])
    await owner.send('PUT', `/v1/monitors/${monitor.id}/labels`, { labels: { team: 'web' } })
    assert.deepEqual(await named(), ['setMonitorLabels', 'Old blog'])
    await owner.post('/v1/monitors/bulk', { monitorIds: [monitor.id], action: 'RESUME' })
    assert.deepEqual(await named(), ['resumeMonitor', 'Old blog'])
    await owner.patch(`/v1/monitors/${monitor.id}`, { name: 'Blog' })
    await owner.delete(`/v1/monitors/${monitor.id}`)
    assert.deepEqual(await named(), ['deleteMonitor', 'Blog'])
    const { body: page } = await owner.post('/v1/status-pages', { name: 'Shop' })
    await owner.patch(`/v1/status-pages/${page.id}`, { published: false })
    assert.deepEqual(await named(), ['updateStatusPage', 'Shop'])
    const { body: endpoint } = await owner.post('/v1/webhook-endpoints', { url: 'https://hooks.example/secret-path' })
    assert.deepEqual(await named(), ['createWebhookEndpoint', 'https://hooks.example/…'])
    await owner.delete(`/v1/webhook-endpoints/${endpoint.id}`)
    assert.deepEqual(await named(), ['deleteWebhookEndpoint', 'https://hooks.example/…'])
    const entries = await log('?limit=100')
    assert.ok(entries.every(({ target, targetName }) => target === null || targetName !== null))
  })

  test('are read by admins and by all API keys of the organization', async () => {
    const { server } = installation
    const member = await joinByInvitation(installation, 'member@example.com', 'MEMBER')
    assert.equal((await member.get('/v1/audit-log')).status, 403)
    const { orgId, key } = await server.organization('FREE')
    for (const name of ['one', 'two', 'three']) await server.client(key).post('/monitors', { name, type: 'CRON' })
    const readOnly = server.client((await server.makeKey(orgId, 'read-only')).key)
    const { status, body } = await readOnly.get('/audit-log?limit=2')
    assert.deepEqual([status, body.data.length, body.pagination], [200, 2, { limit: 2, offset: 0, total: 3 }])
    assert.equal((await readOnly.get('/audit-log?limit=101')).status, 400)
    assert.equal((await readOnly.get('/audit-log?since=yesterday')).status, 400)
  })
})
