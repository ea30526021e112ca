import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { useInstallation } from '../../support/person.ts'
import { type Received, startService } from './service.ts'

forEachEngine('contacts in the dashboard', (engine) => {
  const installation = useInstallation(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are updated field by field, and keep secrets that are not part of the update', async () => {
    await using service = await startService(() => ({ status: 200 }))
    const { owner } = installation
    const settings = { url: `${service.url}/first`, token: 'a-token-that-stays-secret' }
    const created = (await owner.post('/v1/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })).body
    const path = `/v1/contacts/${created.id}`
    const renamed = await owner.patch(path, { name: 'Night shift' })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    const { updatedAt } = renamed.body
    assert.deepEqual(renamed.body, { ...created, name: 'Night shift', updatedAt })
    await owner.patch(path, { settings: { headerName: 'X-Team', headerValue: 'night' } })
    await owner.post(`${path}/test`)
    const { headers } = service.received.at(-1) as Received
    assert.deepEqual([headers['x-team'], headers.authorization], ['night', 'Bearer a-token-that-stays-secret'])
    const { body: bare } = await owner.patch(path, { settings: { token: null }, kinds: ['OPENED'], covers: 'CHOSEN' })
    assert.deepEqual([bare.settings.token, bare.kinds, bare.covers], [undefined, ['OPENED'], 'CHOSEN'])
    await owner.post(`${path}/test`)
    assert.equal(service.received.at(-1)?.headers.authorization, undefined)
    assert.ok((await owner.patch(path, { kinds: null })).body.kinds.length > 1, 'all again')
    await owner.delete(path)
  })

  test('are not changed by an invalid update, which names the path of each fault', async () => {
    const { owner } = installation
    const settings = { url: 'https://hooks.example/alerts' }
    const { body: created } = await owner.post('/v1/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
    const faults = async (wanted: object) => {
      const { status, body } = await owner.patch(`/v1/contacts/${created.id}`, wanted)
      assert.equal(status, 400, JSON.stringify(body))
      return body.error.details.map(({ path }: { path: string }) => path)
    }
    assert.deepEqual(await faults({ name: 'New', settings: { url: null } }), ['settings.url'])
    assert.deepEqual(await faults({ settings: { url: 'nonsense', pigeon: 1 } }), ['settings.pigeon', 'settings.url'])
    assert.deepEqual(await faults({ name: '', kinds: [] }), ['name', 'kinds'])
    assert.deepEqual(await faults({ channel: 'SLACK' }), ['channel'])
    const { data } = (await owner.get('/v1/contacts')).body
    assert.deepEqual(
      data.find(({ id }: { id: string }) => id === created.id),
      created,
    )
    await owner.delete(`/v1/contacts/${created.id}`)
    assert.equal((await owner.patch(`/v1/contacts/${created.id}`, { name: 'x' })).status, 404)
  })
})
