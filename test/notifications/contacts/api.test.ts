import assert from 'node:assert/strict'
import { test } from 'node:test'
import { execute, q } from '../../../src/storage/query.ts'
import { useApi } from '../../support/api.ts'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { createContact, faultsOf, hook, newMonitor } from './contact-api.ts'
import { startService } from './service.ts'

forEachEngine('contacts with an API key', (engine) => {
  const api = useApi(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are created, read, changed, tested, switched and deleted', async () => {
    await using service = await startService()
    const { client, orgId } = await api.tenant()
    const contact = await createContact(client, hook(`${service.url}/secret-path`))
    assert.match(contact.id, /^con_/)
    assert.deepEqual(
      [contact.orgId, contact.covers, contact.enabled, contact.confirmed, contact.kinds.length, contact.settings],
      [orgId, 'ALL', true, true, 10, { url: 'set' }],
    )
    const path = `/contacts/${contact.id}`
    assert.deepEqual((await client.get(path)).body, contact)
    assert.deepEqual((await client.post(`${path}/test`)).body, { sent: true, error: null })
    assert.equal(service.received[0]?.path, '/secret-path')
    const changed = (await client.patch(path, { name: 'Night', kinds: ['OPENED'], covers: 'CHOSEN' })).body
    assert.deepEqual([changed.name, changed.kinds, changed.covers], ['Night', ['OPENED'], 'CHOSEN'])
    assert.equal((await client.post(`${path}/disable`)).body.enabled, false)
    assert.equal((await client.post(`${path}/enable`)).body.enabled, true)
    const unneeded = await client.post(`${path}/confirmation`)
    assert.deepEqual([unneeded.status, unneeded.body.error.code], [409, 'conflict'])
    assert.deepEqual((await client.delete(path)).body, { data: { id: contact.id } })
    assert.equal((await client.get(path)).status, 404)
  })

  test('are deleted with their alerts', async () => {
    const { client, orgId } = await api.tenant()
    const [{ id }, monitor] = [
      await createContact(client),
      await client.post('/monitors', { name: 'Job', type: 'CRON' }),
    ]
    await client.delete(`/monitors/${monitor.body.id}/contacts/${(await createContact(client)).id}`)
    await fetch(`${api.server.url}${new URL(monitor.body.heartbeatUrl).pathname}/fail`)
    const alerts = () =>
      api.server.running.database.read(execute(q.selectFrom('alerts').select('contact_id').where('org_id', '=', orgId)))
    assert.deepEqual(await alerts(), [{ contact_id: id }])
    await client.delete(`/contacts/${id}`)
    assert.deepEqual(await alerts(), [])
  })

  test('are listed in pages, in order of creation', async () => {
    const { client } = await api.tenant()
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await createContact(client, { ...hook(), name })).id)
    const { data, pagination } = (await client.get('/contacts?limit=2&offset=1')).body
    assert.deepEqual(
      [data.map(({ id }: { id: string }) => id), pagination],
      [ids.slice(1), { limit: 2, offset: 1, total: 3 }],
    )
    assert.deepEqual((await client.get('/contacts?offset=9')).body.data, [])
    assert.deepEqual(faultsOf(await client.get('/contacts?limit=101')), ['limit must be at most 100'])
  })

  test('are found by a part of their name and by their state', async () => {
    const { client } = await api.tenant()
    const names: Record<string, string> = {}
    for (const name of ['Büro', 'Nachtbüro', 'Team'])
      names[name] = (await createContact(client, { ...hook(), name })).id
    await client.post(`/contacts/${names.Team}/disable`)
    const found = async (filter: string) => {
      const { data, pagination } = (await client.get(`/contacts?${filter}`)).body
      return [...data.map(({ name }: { name: string }) => name), pagination.total]
    }
    assert.deepEqual(await found(`q=${encodeURIComponent('BÜRO')}`), ['Büro', 'Nachtbüro', 2])
    assert.deepEqual(await found(`q=${encodeURIComponent('büro')}&limit=1&offset=1`), ['Nachtbüro', 2])
    assert.deepEqual(await found('state=DISABLED'), ['Team', 1])
    assert.deepEqual(await found('state=WORKING'), ['Büro', 'Nachtbüro', 2])
    assert.deepEqual(await found('state=WORKING&q=team'), [0])
    expectError(await client.get('/contacts?state=BROKEN'), 'validation_error')
  })

  test('of another organization cannot be attached, and neither can contacts to its monitors', async () => {
    const [{ client }, foreign] = [await api.tenant(), await api.tenant()]
    const [{ id }, monitorId] = [await createContact(client), await newMonitor(client)]
    const [foreignOne, foreignMonitor] = [await createContact(foreign.client), await newMonitor(foreign.client)]
    for (const path of [`${monitorId}/contacts/${foreignOne.id}`, `${foreignMonitor}/contacts/${id}`]) {
      for (const method of ['PUT', 'DELETE']) {
        expectError(await client.send(method, `/monitors/${path}`), 'not_found')
      }
    }
  })

  test('name the path of every fault', async () => {
    const { client } = await api.tenant()
    assert.deepEqual(faultsOf(await client.post('/contacts', { name: '', channel: 'PIGEON' })), [
      'settings is required',
      'name must not be empty',
      'channel must be one of EMAIL, SLACK, DISCORD, TEAMS, TELEGRAM, PAGERDUTY, OPSGENIE, NTFY, GOTIFY, PUSHOVER, WEBHOOK',
    ])
    const body = { ...hook('nonsense', { colour: 'red' }), covers: 'SOME', coversAll: true }
    const refused = await client.post('/contacts', body)
    expectError(refused, 'validation_error', ['covers', 'coversAll', 'settings.colour', 'settings.url'])
    const contact = await createContact(client)
    for (const [change, paths] of [
      [{ name: 'New', settings: { url: null } }, ['settings.url']],
      [{ settings: { url: 'nonsense', pigeon: 1 } }, ['settings.pigeon', 'settings.url']],
      [{ channel: 'SLACK' }, ['channel']],
    ] as const) {
      expectError(await client.patch(`/contacts/${contact.id}`, change), 'validation_error', paths)
    }
    assert.deepEqual((await client.get(`/contacts/${contact.id}`)).body, contact)
  })
})

forEachEngine('changes of contacts with an API key', (engine) => {
  const api = useApi(engine)

  test('are limited to 100 per organization', async () => {
    const { client } = await api.tenant()
    const answers = []
    for (let i = 0; i < 101; i += 1) answers.push((await client.post('/contacts', hook())).status)
    assert.deepEqual([answers.filter((status) => status === 201).length, answers.at(-1)], [100, 409])
  })

  test('leave audit entries with the key as the actor', async () => {
    const { client, orgId } = await api.tenant()
    const [contact, monitorId] = [await createContact(client), await newMonitor(client)]
    await client.patch(`/contacts/${contact.id}`, { covers: 'CHOSEN' })
    await client.send('PUT', `/monitors/${monitorId}/contacts/${contact.id}`)
    const entries = await api.server.running.database.read(
      execute(
        q
          .selectFrom('audit_entries')
          .select(['action', 'actor_type', 'target'])
          .where('org_id', '=', orgId)
          .where('target', '=', contact.id)
          .orderBy('id'),
      ),
    )
    assert.deepEqual(
      entries.map(({ action, actor_type: actor }) => [action, actor]),
      [
        ['createContact', 'API_KEY'],
        ['updateContact', 'API_KEY'],
        ['attachContact', 'API_KEY'],
      ],
    )
  })

  test('describe the settings of their channels as JSON Schema', async () => {
    const { client } = await api.tenant()
    const { data } = (await client.get('/contact-channels')).body
    assert.equal(data.length, 11)
    const { settings, destinations } = data.find(({ name }: { name: string }) => name === 'NTFY')
    assert.deepEqual([settings.type, settings.required], ['object', ['topic']])
    assert.deepEqual([settings.properties.token.writeOnly, destinations], [true, ['server']])
  })
})
