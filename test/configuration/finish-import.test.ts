import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useApi } from '../support/api.ts'
import { forEachEngine } from '../support/engines.ts'
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
    assert.deepEqual(await finish(), { enabledContacts: 1 })
    assert.deepEqual(await enabled(), ['kuma chat', 'kuma ops'])
    const { body: log } = await client.get(`/audit-log?target=${chat}`)
    assert.deepEqual(log.data.map(({ action }: { action: string }) => action).toSorted(), [
      'createContact',
      'enableContact',
    ])
    // Disabled on purpose: neither the import nor its end enables it again.
    await client.post(`/contacts/${chat}/disable`)
    assert.deepEqual(actionsOf((await apply(client, imported('kuma'))).changes), [])
    assert.deepEqual(await finish(), { enabledContacts: 0 })
    assert.deepEqual(await enabled(), ['kuma ops'])
  })

  test('stay disabled if the source has released them; a read-only key does not finish an import', async () => {
    const { client, reader } = await api.tenant()
    await apply(client, imported('kuma'))
    const body = { source: 'import-kuma' }
    assert.equal((await (await reader()).post('/configuration/finish-import', body)).status, 403)
    await apply(client, { version: 1, source: 'import-kuma' })
    assert.deepEqual((await client.post('/configuration/finish-import', body)).body, { enabledContacts: 0 })
  })
})
