import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Api, useApi } from '../../support/api.ts'
import { expectConforms } from '../../support/conformance.ts'
import { call, monitorChanges } from '../../support/contract.ts'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, elaborate, expectError, smallest, total } from '../../support/monitors.ts'
import { exchange, request } from '../../support/raw.ts'
import { setSubscription, storedAnswers } from '../../support/tables.ts'
import { startHttpTarget } from '../../support/targets.ts'

forEachEngine('idempotency at its edges', (engine) => {
  const api = useApi(engine)
  keys(api)
  whatIsStored(api)
  atTheSameTime(api)
})

function keys(api: Api): void {
  const good = ['a', '0', '.', '-', '_', ':', 'x'.repeat(200), 'AZaz09._:-', '5f0c1a52-7e5d-4b6e-9a55-0d4c1b2f3a4e']
  test('a key is 1 to 200 letters, digits and . _ : -', async () => {
    const { client } = await api.tenant()
    for (const key of good) {
      const answer = await client.post('/monitors', smallest('HTTP'), { 'idempotency-key': key })
      assert.equal(answer.status, 201, key)
    }
    assert.equal(await total(client), good.length)
  })

  const bad = ['', 'x'.repeat(201), 'two words', 'a,b', 'a/b', '"a"', 'a;b', 'a=b', 'a+b', 'a@b', 'é', '{}', 'a\tb']
  test('a malformed or over-long key is 400 and does nothing', async () => {
    const { client } = await api.tenant()
    for (const key of bad) {
      const answer = await client.post('/monitors', smallest('HTTP'), { 'idempotency-key': key })
      assert.equal(answer.status, 400, JSON.stringify(key))
      expectError(answer, 'invalid_idempotency_key')
    }
    assert.equal(await total(client), 0)
  })

  test('two Idempotency-Key headers are 400', async () => {
    const { key, client } = await api.tenant()
    const headers = [`X-API-Key: ${key}`, 'Idempotency-Key: a', 'Idempotency-Key: b', 'Content-Type: application/json']
    const body = JSON.stringify(smallest('HTTP'))
    const answer = await exchange(api.server.url, request('POST', '/api/v1/monitors', headers, body))
    expectConforms(answer, { method: 'POST', path: '/monitors' }, api.contract)
    expectError(answer, 'invalid_idempotency_key')
    assert.equal(await total(client), 0)
  })

  test('reads ignore the header and are never replayed', async () => {
    const { client } = await api.tenant()
    const headers = { 'idempotency-key': 'read' }
    assert.equal((await client.get('/monitors', headers)).body.pagination.total, 0)
    await createMonitor(client)
    assert.equal((await client.get('/monitors', headers)).body.pagination.total, 1)
    assert.equal((await client.get('/monitors', { 'idempotency-key': 'not a key' })).status, 200)
    assert.equal((await client.post('/monitors', smallest('HTTP'), headers)).status, 201)
  })
}

function whatIsStored(api: Api): void {
  test('only successes are stored: after any error the key can be used again', async () => {
    const { client, orgId } = await api.tenant('FREE')
    const headers = { 'idempotency-key': 'free' }
    const create = (extra: object = {}) => client.post('/monitors', smallest('HTTP', extra), headers)
    expectError(await create({ port: 0 }), 'validation_error')
    expectError(await create({ intervalSeconds: 30 }), 'plan_limit')
    expectError(await client.delete('/monitors/mon_unknown', headers), 'not_found')
    await setSubscription(api.server, orgId, 'inactive')
    expectError(await create(), 'subscription_required')
    await setSubscription(api.server, orgId, 'active')
    const { id } = await createMonitor(client, smallest('CRON'))
    await client.post(`/monitors/${id}/pause`, {})
    expectError(await client.post(`/monitors/${id}/check`, {}, headers), 'conflict')
    assert.deepEqual(await storedAnswers(api.server, orgId), [])
    const answer = await create({ name: 'At last' })
    assert.deepEqual([answer.status, answer.headers.get('idempotency-replayed')], [201, null])
    assert.equal((await storedAnswers(api.server, orgId)).length, 1)
  })

  test('stored responses are encrypted if they, or the requests, have secrets', async () => {
    const { client, orgId } = await api.tenant()
    const secrets = { requestHeaders: { Authorization: 'Bearer hunter2hunter2' }, requestBody: 'correct horse battery' }
    const headers = { 'idempotency-key': 'sealed' }
    await createMonitor(client)
    const { body } = await client.post('/monitors', { ...elaborate, ...secrets }, headers)
    const [row = '', ...more] = await storedAnswers(api.server, orgId)
    assert.deepEqual(more, [], 'a change without a key stores nothing')
    assert.match(row, /"key":"sealed"/)
    const plain = [body.id, body.url, body.createdAt, 'Kasse', 'hunter2', 'correct horse', 'requestHeaders', 'P95']
    for (const text of plain) assert.ok(!row.includes(text), `${text} stands in the row`)
    const decoded = [...row.matchAll(/[A-Za-z0-9+/=]{16,}/g)].map(([run]) =>
      Buffer.from(run, 'base64').toString('latin1'),
    )
    for (const text of plain) assert.ok(!decoded.some((run) => run.includes(text)), `${text} is merely encoded`)
  })
}

function atTheSameTime(api: Api): void {
  test('while the first request runs, the same key is 409 in progress; afterwards it is replayed', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const [{ id }, other] = [
      await createMonitor(client, smallest('HTTP', { url: target.url })),
      await createMonitor(client),
    ]
    const headers = { 'idempotency-key': 'slow' }
    const check = () => client.post(`/monitors/${id}/check`, {}, headers)
    const release = target.hold()
    const visited = target.visited()
    const running = check()
    await visited
    const refused = await check()
    expectError(refused, 'idempotency_in_progress')
    assert.equal(refused.headers.get('retry-after'), '1')
    expectError(await client.delete(`/monitors/${other.id}`, headers), 'idempotency_in_progress')
    assert.equal((await client.post(`/monitors/${other.id}/pause`, {}, { 'idempotency-key': 'other' })).status, 200)
    release()
    const first = await running
    assert.deepEqual([first.status, first.body.state], [200, 'UP'])
    const visits = target.visits
    const again = await check()
    assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true'])
    assert.equal(target.visits, visits, 'a replayed check visits nobody')
  })

  test('a failed request frees its key at once', async () => {
    await using target = await startHttpTarget()
    const { client } = await api.tenant()
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url }))
    const headers = { 'idempotency-key': 'fails' }
    const release = target.hold()
    const visited = target.visited()
    const running = client.post(`/monitors/${id}/check`, {}, headers)
    await visited
    await client.delete(`/monitors/${id}`)
    release()
    expectError(await running, 'not_found')
    assert.equal((await client.post('/monitors', smallest('HTTP'), headers)).status, 201)
  })

  // `check` waits for the network between two transactions.
  for (const operation of monitorChanges.filter(({ name }) => name === 'create' || name === 'check')) {
    test(`20 times ${operation.name} at once with one key runs once; 20 more at once are all replayed`, async () => {
      const { client } = await api.tenant()
      const { id } = await createMonitor(client, smallest('CRON'))
      const headers = { 'idempotency-key': 'twenty' }
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(client, operation, id, headers)))
      const done = answers.filter((answer) => answer.status === operation.status)
      for (const answer of answers.filter((one) => !done.includes(one))) expectError(answer, 'idempotency_in_progress')
      assert.equal(done.filter((answer) => answer.headers.get('idempotency-replayed') === null).length, 1)
      for (const answer of done) assert.deepEqual(answer.body, done[0]?.body)
      const replays = await Promise.all(Array.from({ length: 20 }, () => call(client, operation, id, headers)))
      for (const replay of replays) {
        assert.equal(replay.headers.get('idempotency-replayed'), 'true', 'nothing is in progress any more')
        assert.deepEqual([replay.status, replay.body], [operation.status, done[0]?.body])
      }
      assert.equal(await total(client), operation.name === 'create' ? 2 : 1)
    })
  }
}
