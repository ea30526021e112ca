import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { expectError } from '../../support/monitors.ts'
import { useInstallation } from '../../support/person.ts'
import { startHttpTarget } from '../../support/targets.ts'

forEachEngine('operations of the public API in a session', (engine) => {
  const installation = useInstallation(engine)

  test('a session can call the operations of an API key, in the name of the user', async () => {
    const { owner, server } = installation
    await using target = await startHttpTarget()
    target.status = 503
    const created = await owner.post('/v1/monitors', { name: 'Shop', type: 'HTTP', url: target.url })
    assert.equal(created.status, 201)
    assert.equal(created.headers.get('ratelimit-limit'), null, 'the rate limit of keys does not apply')
    const { body: down } = await owner.post(`/v1/monitors/${created.body.id}/check`, {})
    assert.equal(down.state, 'DOWN')
    const { body: incidents } = await owner.get('/v1/incidents')
    const { body: incident } = await owner.post(`/v1/incidents/${incidents.data[0].id}/acknowledge`)
    assert.deepEqual(incident.acknowledgedBy, { type: 'USER', name: 'owner' })
    assert.ok(incident.timeline.some(({ message }: { message: string }) => message === 'Acknowledged by owner'))
    const detail = await server.client().get(`/incidents/${incident.id}`)
    assert.deepEqual(detail.body.acknowledgedBy, { type: 'USER', name: 'owner' })
    expectError(await owner.post('/v1/monitors', { name: '', type: 'HTTP' }), 'validation_error', ['name', 'url'])
  })

  test('a request with the same Idempotency-Key is applied once', async () => {
    const send = () =>
      installation.owner.send('POST', '/v1/monitors', { name: 'once', type: 'CRON' }, { 'idempotency-key': 'one' })
    const [first, second] = [await send(), await send()]
    assert.deepEqual([first.body.id, second.headers.get('idempotency-replayed')], [second.body.id, 'true'])
  })

  test('settings can be tested before they are saved, and nothing is stored', async () => {
    const { owner } = installation
    await using target = await startHttpTarget()
    const settings = { name: 'x', type: 'HTTP', url: target.url }
    const before = (await owner.get('/v1/monitors')).body.pagination.total
    const tried = await owner.post('/v1/monitors/try', settings)
    assert.deepEqual([tried.status, tried.body.outcome, tried.body.statusCode], [200, 'SUCCESS', 200])
    assert.ok(tried.body.timings.connectMs >= 0 && tried.body.timings.firstByteMs >= 0)
    target.status = 503
    const broken = await owner.post('/v1/monitors/try', settings)
    assert.deepEqual([broken.body.outcome, broken.body.causeCode], ['FAILURE', 'STATUS'])
    assert.equal((await owner.get('/v1/monitors')).body.pagination.total, before)
    assert.equal((await owner.post('/v1/monitors/try', { name: 'x', type: 'CRON' })).status, 400)
    const answers = []
    for (let i = 0; i < 20; i += 1) answers.push(await owner.post('/v1/monitors/try', settings))
    assert.equal(answers.at(-1)?.status, 429, 'the number of tests is limited')
  })
})
