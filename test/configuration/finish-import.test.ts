import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { forEachEngine } from '../support/engines.ts'
import type { Client } from '../support/server.ts'
import { actionsOf, apply, idOf, plan } from './support.ts'

const hook = (name: string, more: object = {}) => ({
  name,
  channel: 'WEBHOOK',
  settings: { url: `https://hooks.example/${name}` },
  ...more,
})

const imported = (tool: string) => ({
  version: 1,
  source: `import-${tool}`,
  contacts: {
    ops: hook(`${tool} ops`, { disabledAtFirst: true }),
    chat: hook(`${tool} chat`, { disabledAtFirst: true }),
    unused: hook(`${tool} unused`, { disabledAtFirst: true, enabled: false }),
  },
})

forEachEngine('the contacts of an import', (engine) => {
  const api = useApi(engine)

  test('are created disabled, enabled once by finishing it, and left alone by later imports', async () => {
    const { client } = await api.tenant()
    const enabled = async () => {
      const { body } = await client.get('/contacts?limit=100')
      return body.data.flatMap((one: { name: string; enabled: boolean }) => (one.enabled ? [one.name] : [])).toSorted()
    }
    const finish = async () => (await client.post('/configuration/finish-import', { source: 'import-kuma' })).body
    await apply(client, imported('kuma'))
    await apply(client, imported('gatus'))
    assert.deepEqual(await enabled(), [])
    const [ops, chat] = [await idOf(client, '/contacts', 'kuma ops'), await idOf(client, '/contacts', 'kuma chat')]
    await client.post(`/contacts/${ops}/enable`)
    assert.deepEqual(actionsOf((await plan(client, imported('kuma'))).changes), [])
    assert.deepEqual(await finish(), { enabledContacts: 1, unmutedMonitors: 0 })
    assert.deepEqual(await enabled(), ['kuma chat', 'kuma ops'])
    const { body: log } = await client.get(`/audit-log?target=${chat}`)
    assert.deepEqual(log.data.map(({ action }: { action: string }) => action).toSorted(), [
      'createContact',
      'enableContact',
    ])
    // Disabled on purpose: neither the import nor its end enables it again.
    await client.post(`/contacts/${chat}/disable`)
    assert.deepEqual(actionsOf((await apply(client, imported('kuma'))).changes), [])
    assert.deepEqual(await finish(), { enabledContacts: 0, unmutedMonitors: 0 })
    assert.deepEqual(await enabled(), ['kuma ops'])
  })

  test('stay disabled if the source has released them; a read-only key does not finish an import', async () => {
    const { client, reader } = await api.tenant()
    await apply(client, imported('kuma'))
    const body = { source: 'import-kuma' }
    assert.equal((await (await reader()).post('/configuration/finish-import', body)).status, 403)
    await apply(client, { version: 1, source: 'import-kuma' })
    assert.deepEqual((await client.post('/configuration/finish-import', body)).body, {
      enabledContacts: 0,
      unmutedMonitors: 0,
    })
  })
})

const WEEK_MS = 7 * 86_400_000

forEachEngine('the monitors of an import', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_ROLES: 'api' } })
  const document = (more: object = {}) => ({
    version: 1,
    source: 'import-kuma',
    defaults: { monitors: { mutedAtFirst: true } },
    monitors: {
      shop: { name: 'Shop', type: 'HTTP', url: 'http://127.0.0.1:9/' },
      blog: { name: 'Blog', type: 'HTTP', url: 'http://127.0.0.1:9/' },
      ...more,
    },
  })
  const finish = async (client: Client) =>
    (await client.post('/configuration/finish-import', { source: 'import-kuma' })).body.unmutedMonitors

  test('are muted for a week when they are created, until the import is finished', async () => {
    const { client } = await api.tenant()
    await client.post('/monitors', { name: 'By hand', type: 'HTTP', url: 'http://127.0.0.1:9/' })
    await apply(client, document())
    const until = async (name: string) => {
      const { body } = await client.get(`/monitors/${await idOf(client, '/monitors', name)}/mute`)
      return body.until === null ? null : Date.parse(body.until) - clock.now()
    }
    assert.deepEqual([await until('Shop'), await until('Blog'), await until('By hand')], [WEEK_MS, WEEK_MS, null])
    clock.advance(1_000)
    assert.deepEqual(actionsOf((await plan(client, document())).changes), [])
    // Muted anew for another reason, which the end of the import does not change.
    const blog = await idOf(client, '/monitors', 'Blog')
    await client.send('PUT', `/monitors/${blog}/mute`, { until: new Date(clock.now() + 60_000).toISOString() })
    await apply(client, document({ new: { name: 'New', type: 'HTTP', url: 'http://127.0.0.1:9/' } }))
    assert.equal(await until('New'), WEEK_MS)
    assert.equal(await finish(client), 2)
    assert.deepEqual([await until('Shop'), await until('Blog'), await until('New')], [null, 60_000, null])
    const shop = await idOf(client, '/monitors', 'Shop')
    const { body: log } = await client.get(`/audit-log?target=${shop}`)
    assert.ok(log.data.some(({ action }: { action: string }) => action === 'unmuteMonitor'))
    assert.equal(await finish(client), 0)
    const loud = { ...document(), source: 'import-gatus', defaults: {} }
    await apply(client, { ...loud, monitors: { loud: { name: 'Loud', type: 'HTTP', url: 'http://127.0.0.1:9/' } } })
    assert.equal(await until('Loud'), null)
  })

  test('stay muted until a shadow run ends', async () => {
    const { client } = await api.tenant()
    await apply(client, document())
    const shop = await idOf(client, '/monitors', 'Shop')
    const until = async () => (await client.get(`/monitors/${shop}/mute`)).body.until
    const start = async () =>
      (await client.post('/shadow-runs', { tool: 'KUMA', url: 'http://127.0.0.1:9/', days: 30 })).body
    const run = await start()
    assert.equal(await until(), run.endsAt)
    const finished = await client.post(`/shadow-runs/${run.id}/finish`, { enableContacts: false })
    assert.deepEqual(finished.body, { enabledContacts: 0, unmutedMonitors: 2 })
    assert.equal(await until(), null)
    const again = await start()
    assert.equal(await until(), null, 'what is not muted stays so')
    await client.delete(`/shadow-runs/${again.id}`)
  })
})
