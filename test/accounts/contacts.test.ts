import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../support/engines.ts'
import { startReceiver } from '../support/receiver.ts'
import { useHouse } from './person.ts'

forEachEngine('contacts in the dashboard', (engine) => {
  const house = useHouse(engine, { env: { PHAROS_PRIVATE_WEBHOOKS: 'allow' } })

  test('are added, tried, switched and removed, and never show their secrets again', async () => {
    await using receiver = await startReceiver()
    const { owner } = house
    const settings = { url: `${receiver.url}/secret-path-0123456789` }
    const { status, body } = await owner.post('/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
    assert.equal(status, 201, JSON.stringify(body))
    assert.ok(!JSON.stringify((await owner.get('/contacts')).body).includes('secret-path-0123456789'))
    assert.deepEqual((await owner.post(`/contacts/${body.id}/test`)).body, { sent: true, error: null })
    assert.notEqual((await owner.get('/contacts')).body.data[0].lastSentAt, null)
    assert.equal((await owner.post(`/contacts/${body.id}/disable`)).body.enabled, false)
    assert.equal((await owner.post(`/contacts/${body.id}/enable`)).body.enabled, true)
    assert.equal((await owner.delete(`/contacts/${body.id}`)).status, 200)
    assert.equal((await owner.post(`/contacts/${body.id}/test`)).status, 404)
    assert.deepEqual((await owner.get('/contacts')).body.data, [])
  })

  test('say what is wrong with their settings, by the path of the field', async () => {
    const { status, body } = await house.owner.post('/contacts', {
      name: 'x',
      channel: 'SLACK',
      settings: { nonsense: 1 },
    })
    assert.equal(status, 400)
    const paths = body.error.details.map(({ path }: { path: string }) => path)
    assert.ok(paths.includes('settings.nonsense'), paths)
    const { body: channels } = await house.owner.get('/contacts/channels')
    assert.equal(channels.data.length, 11)
  })

  test('are told of a monitor or not', async () => {
    const { owner } = house
    const { body: monitor } = await owner.post('/v1/monitors', { name: 'm', type: 'CRON' })
    const settings = { url: 'https://example.com/hook' }
    const { body: contact } = await owner.post('/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
    const path = `/monitors/${monitor.id}/contacts`
    const attached = async () => (await owner.get(path)).body.data[0].attached
    assert.equal(await attached(), true)
    assert.equal((await owner.delete(`${path}/${contact.id}`)).body.data[0].attached, false)
    assert.equal(await attached(), false)
    assert.equal((await owner.post(`${path}/${contact.id}`)).body.data[0].attached, true)
    assert.equal((await owner.post(`${path}/con_nobody`)).status, 404)
  })
})
