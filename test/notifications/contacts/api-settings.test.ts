import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Tenant, useApi } from '../../support/api.ts'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createContact, faultsOf, hook, newMonitor } from './contact-api.ts'
import { startService } from './service.ts'

forEachEngine('the secrets of contacts with an API key', (engine) => {
  const api = useApi(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are shown as "set", and kept by a change that sends "set" back', async () => {
    await using service = await startService()
    const { client } = await api.tenant()
    const contact = await createContact(client, hook(service.url, { token: 'abcdefghijklmnop', headerName: 'X-Team' }))
    assert.deepEqual(contact.settings, { url: 'set', token: 'set', headerName: 'X-Team' })
    const path = `/contacts/${contact.id}`
    const { status, body } = await client.patch(path, { settings: { ...contact.settings, headerName: 'X-Shift' } })
    assert.deepEqual([status, body.settings], [200, { url: 'set', token: 'set', headerName: 'X-Shift' }])
    await client.post(`${path}/test`)
    assert.equal(service.received[0]?.headers.authorization, 'Bearer abcdefghijklmnop')
  })

  test('are kept by a change that does not name them, and removed by null', async () => {
    await using service = await startService()
    const { client } = await api.tenant()
    const contact = await createContact(client, hook(service.url, { token: 'abcdefghijklmnop' }))
    const path = `/contacts/${contact.id}`
    const renamed = (await client.patch(path, { name: 'Night shift' })).body
    assert.deepEqual(renamed, { ...contact, name: 'Night shift', updatedAt: renamed.updatedAt })
    await client.patch(path, { settings: { headerName: 'X-Team', headerValue: 'night' } })
    await client.post(`${path}/test`)
    const bare = (await client.patch(path, { settings: { token: null }, kinds: ['OPENED'] })).body
    assert.deepEqual([bare.settings.token, bare.kinds], [undefined, ['OPENED']])
    await client.post(`${path}/test`)
    assert.deepEqual(
      service.received.map(({ headers }) => [headers['x-team'], headers.authorization]),
      [
        ['night', 'Bearer abcdefghijklmnop'],
        ['night', undefined],
      ],
    )
    assert.equal((await client.patch(path, { kinds: null })).body.kinds.length, 10, 'all again')
  })

  test('are not "set" themselves, and "set" does not replace a secret that is not stored', async () => {
    const { client } = await api.tenant()
    const fault = 'must be the secret itself, not "set"'
    assert.deepEqual(faultsOf(await client.post('/contacts', hook('set', { token: 'set' }))), [
      `settings.url ${fault}`,
      `settings.token ${fault}`,
    ])
    const { id } = await createContact(client)
    assert.deepEqual(faultsOf(await client.patch(`/contacts/${id}`, { settings: { token: 'set' } })), [
      `settings.token ${fault}`,
    ])
  })

  test('are needed again for a new destination: "set" is not enough', async () => {
    await using own = await startService()
    await using foreign = await startService()
    const { client } = await api.tenant()
    const { id } = await createContact(client, hook(own.url, { token: 'abcdefghijklmnop' }))
    const settings = { url: foreign.url, token: 'set' }
    assert.deepEqual(faultsOf(await client.patch(`/contacts/${id}`, { settings })), [
      'settings.token must be entered again when the address changes',
    ])
    await client.post(`/contacts/${id}/test`)
    assert.deepEqual([own.received.length, foreign.received.length], [1, 0])
  })
})

forEachEngine('contacts of a monitor with an API key', (engine) => {
  const api = useApi(engine)

  const attachedTo = async ({ client }: Tenant, monitorId: string, query = '') =>
    (await client.get(`/monitors/${monitorId}/contacts${query}`)).body.data.map(
      ({ contactId, attached }: { contactId: string; attached: boolean }) => [contactId, attached],
    )

  test('are attached and detached, as often as one likes', async () => {
    const tenant = await api.tenant()
    const { client } = tenant
    const [all, chosen] = [await createContact(client), await createContact(client, { ...hook(), covers: 'CHOSEN' })]
    const monitorId = await newMonitor(client)
    const path = (id: string) => `/monitors/${monitorId}/contacts/${id}`
    assert.deepEqual(await attachedTo(tenant, monitorId), [
      [all.id, true],
      [chosen.id, false],
    ])
    for (let i = 0; i < 2; i += 1) {
      const { status, body } = await client.send('PUT', path(chosen.id))
      assert.deepEqual([status, body.contactId, body.attached], [200, chosen.id, true])
      assert.deepEqual((await client.delete(path(all.id))).body, { data: { id: all.id } })
    }
    assert.deepEqual(await attachedTo(tenant, monitorId), [
      [all.id, false],
      [chosen.id, true],
    ])
    assert.deepEqual(await attachedTo(tenant, monitorId, '?attached=true'), [[chosen.id, true]])
    assert.deepEqual(await attachedTo(tenant, monitorId, '?attached=false&offset=1'), [])
    const { pagination } = (await client.get(`/monitors/${monitorId}/contacts?limit=1`)).body
    assert.deepEqual(pagination, { limit: 1, offset: 0, total: 2 })
    // Another way to cover forgets both.
    await client.patch(`/contacts/${chosen.id}`, { covers: 'ALL' })
    await client.patch(`/contacts/${chosen.id}`, { covers: 'CHOSEN' })
    assert.deepEqual(await attachedTo(tenant, monitorId, '?attached=true'), [])
  })
})

forEachEngine('test messages with an API key', (engine) => {
  const api = useApi(engine, { clock: new HandClock(), env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are limited to ten a minute for all keys of the organization', async () => {
    await using service = await startService()
    const { client, orgId } = await api.tenant()
    const other = api.clientOf((await api.server.makeKey(orgId, 'full')).key)
    const { id } = await createContact(client, hook(service.url))
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1) {
      for (const one of [client, other]) statuses.push((await one.post(`/contacts/${id}/test`)).status)
    }
    assert.deepEqual(statuses, [...new Array(10).fill(200), 429, 429])
    assert.equal(service.received.length, 10)
  })
})
