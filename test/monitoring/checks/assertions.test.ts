import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { createMonitor, expectError, smallest } from '../../support/monitors.ts'
import { startReceiver } from '../../support/receiver.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { startHttpTarget } from '../../support/targets.ts'

const env = {
  PHAROS_PRIVATE_TARGETS: 'allow',
  PHAROS_PRIVATE_WEBHOOKS: 'allow',
  PHAROS_CONFIRM_DELAYS: '',
  PHAROS_ALERT_WAIT: '0',
}

const database = { source: 'JSON', path: '$.db', operator: 'EQUALS', value: 'ok', severity: 'DOWN' }
const queue = { source: 'JSON', path: '$.queue', operator: 'LESS', value: 10, severity: 'DEGRADED' }

async function latestCheck(client: Client, id: string) {
  const { state, error, causeCode } = (await client.get(`/monitors/${id}/checks?limit=1`)).body.data[0]
  return { state, error, causeCode }
}

forEachEngine('assertions', (engine) => {
  let server: TestServer
  before(async () => {
    server = await startTestServer(engine, { env })
  })
  after(() => server.stop())

  test('decide the state, and their texts are in the incident, the check log and the alert', async () => {
    await using target = await startHttpTarget()
    await using receiver = await startReceiver()
    const client = server.client()
    const settings = { url: receiver.url }
    const contact = await client.post('/contacts', { name: 'Hook', channel: 'WEBHOOK', settings })
    assert.equal(contact.status, 201, JSON.stringify(contact.body))
    target.body = '{"db":"ok","queue":3}'
    const { id } = await createMonitor(client, smallest('HTTP', { url: target.url, intervalSeconds: 3600 }))
    const put = await client.send('PUT', `/monitors/${id}/assertions`, { assertions: [database, queue] })
    assert.equal(put.status, 200, JSON.stringify(put.body))
    const check = async (body: string) => {
      target.body = body
      return bodyOf(await client.post(`/monitors/${id}/check`, {})).state
    }
    assert.equal(await check('{"db":"ok","queue":3}'), 'UP')

    assert.equal(await check('{"db":"ok","queue":12}'), 'DEGRADED')
    const slow = '$.queue is 12, expected less than 10'
    assert.deepEqual(await latestCheck(client, id), { state: 'DEGRADED', error: slow, causeCode: 'KEYWORD' })
    assert.ok((await receiver.message(1)).raw.includes(JSON.stringify(slow).slice(1, -1)))

    assert.equal(await check('{"db":"gone"}'), 'DOWN')
    const error = '$.db is "gone", expected "ok"'
    assert.deepEqual(await latestCheck(client, id), { state: 'DOWN', error, causeCode: 'KEYWORD' })
    const [incident] = (await client.get(`/incidents?monitorId=${id}`)).body.data
    assert.equal(incident.cause, error)
    assert.equal(await check('{"db":"ok","queue":3}'), 'UP')
  })

  test('a path or pattern that is not valid is refused with its position', async () => {
    const client = server.client()
    const { id } = await createMonitor(client)
    const refused = async (assertion: object) => {
      const answer = await client.send('PUT', `/monitors/${id}/assertions`, { assertions: [database, assertion] })
      expectError(answer, 'validation_error')
      return answer.body.error.details
    }
    assert.deepEqual(await refused({ ...database, path: '$.a[' }), [
      { path: 'assertions.1.path', message: 'is not valid at character 5: unclosed bracketed selection' },
    ])
    assert.deepEqual(await refused({ source: 'BODY', operator: 'MATCHES', value: 'a(' }), [
      { path: 'assertions.1.value', message: 'is not valid at character 1: missing closing ) at "a("' },
    ])
    assert.equal((await refused({ ...database, path: `$[?${'('.repeat(100_000)}` })).length, 1)
    assert.match(
      (await refused({ ...database, path: `$[?${'('.repeat(490)}` }))[0].message,
      /^is not valid at character/,
    )
    assert.equal(
      (await refused({ source: 'STATUS', operator: 'CONTAINS', value: '2' }))[0].path,
      'assertions.1.operator',
    )
  })

  test('a test of settings returns what each assertion found, and the body', async () => {
    await using target = await startHttpTarget()
    const client = server.client()
    target.body = '{"db":"gone","queue":12}'
    const settings = smallest('HTTP', { url: target.url })
    const tried = await client.post('/monitors/try', {
      ...settings,
      options: { assertions: { assertions: [database, queue] } },
    })
    assert.partialDeepStrictEqual(tried.body, {
      outcome: 'FAILURE',
      error: '$.db is "gone", expected "ok"',
      degraded: '$.queue is 12, expected less than 10',
      assertions: [
        { holds: false, found: '"gone"', error: '$.db is "gone", expected "ok"' },
        { holds: false, found: '12', error: '$.queue is 12, expected less than 10' },
      ],
      body: target.body,
    })
    const empty = await client.post('/monitors/try', { ...settings, options: { assertions: { assertions: [] } } })
    assert.partialDeepStrictEqual(empty.body, { outcome: 'SUCCESS', assertions: [], body: target.body })
    const plain = await client.post('/monitors/try', settings)
    assert.partialDeepStrictEqual(plain.body, { outcome: 'SUCCESS', assertions: null, body: null, degraded: null })
  })
})
