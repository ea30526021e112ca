import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inspect } from 'node:util'
import {
  AuthenticationError,
  ConflictError,
  NotFoundError,
  PermissionError,
  Pharos,
  PharosError,
  PlanError,
  type RawResponse,
  ValidationError,
} from '../../clients/typescript/src/index.ts'
import { eventually } from '../support/eventually.ts'
import { closedPort } from '../support/ports.ts'
import {
  answer,
  disconnect,
  foreign,
  refuse,
  type ScriptedServer,
  stall,
  startScriptedServer,
} from './scripted-server.ts'

const root = join(import.meta.dirname, '../..')
const MONITOR = { id: 'mon_1', name: 'Shop' }
const NEW = { name: 'Shop', type: 'CRON' } as const

function clientOf({ url }: Pick<ScriptedServer, 'url'>, more: object = {}): Pharos {
  return new Pharos({ url, apiKey: 'phr_secret', ...more })
}

async function failure(promise: Promise<unknown>): Promise<PharosError> {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof PharosError, inspect(error))
  return error
}

describe('a request', () => {
  test('carries the key, JSON and an idempotency key; a GET carries no idempotency key', async () => {
    await using server = await startScriptedServer(answer(200, MONITOR))
    const pharos = clientOf({ url: `${server.url}/proxy/` })
    await pharos.monitors.create(NEW)
    await pharos.monitors.get('a/b?c')
    const [post, get] = server.received
    assert.deepEqual([post?.method, post?.path, post?.body], ['POST', '/proxy/api/v1/monitors', JSON.stringify(NEW)])
    assert.equal(post?.headers.authorization, 'Bearer phr_secret')
    assert.equal(post?.headers['content-type'], 'application/json')
    assert.match(String(post?.headers['idempotency-key']), /^[0-9a-f]{32}$/)
    const { version } = JSON.parse(readFileSync(join(root, 'clients/typescript/package.json'), 'utf8'))
    assert.equal(post?.headers['user-agent'], `pharos-client/${version}`)
    assert.equal(get?.path, '/proxy/api/v1/monitors/a%2Fb%3Fc')
    assert.equal(get?.headers['idempotency-key'], undefined)
  })

  test('keeps its idempotency key across retries, and another call has another', async () => {
    await using server = await startScriptedServer(
      disconnect,
      refuse(500, 'internal_error', { 'retry-after': '0' }),
      answer(201, MONITOR),
    )
    const pharos = clientOf(server)
    assert.deepEqual(await pharos.monitors.create(NEW), MONITOR)
    await pharos.monitors.create(NEW)
    await pharos.monitors.create(NEW, { idempotencyKey: 'mine' })
    const keys = server.received.map(({ headers }) => headers['idempotency-key'])
    assert.equal(keys.length, 5)
    assert.equal(new Set(keys.slice(0, 3)).size, 1)
    assert.notEqual(keys[3], keys[0])
    assert.equal(keys[4], 'mine')
  })

  for (const id of ['', '.', '..']) {
    test(`with the id "${id}" is refused, because its path would be that of another operation`, () => {
      const pharos = clientOf({ url: 'http://localhost' })
      assert.throws(() => pharos.monitors.delete(id), /monitorId must be the ID of a resource/)
    })
  }

  test('is not sent along a redirect', async () => {
    await using other = await startScriptedServer(answer(200, MONITOR))
    await using server = await startScriptedServer(answer(302, '', { location: `${other.url}/elsewhere` }))
    const error = await failure(clientOf(server).monitors.create(NEW))
    assert.deepEqual([error.code, error.status], ['unexpected_response', 302])
    assert.match(error.message, /redirected the request to .*elsewhere; use the final address as url/)
    assert.equal(other.received.length, 0)
  })

  test('shows its response to onResponse', async () => {
    await using server = await startScriptedServer(answer(200, MONITOR, { 'idempotency-replayed': 'true' }))
    const seen: unknown[] = []
    const onResponse = ({ status, headers, text }: RawResponse) =>
      seen.push(status, headers.get('idempotency-replayed'), text)
    await clientOf(server).monitors.pause('mon_1', { onResponse })
    assert.deepEqual(seen, [200, 'true', JSON.stringify(MONITOR)])
  })
})

describe('a failed request', () => {
  test('is repeated after Retry-After: rate limit, overload, a running request with the same key', async () => {
    const now = { 'retry-after': '0' }
    await using server = await startScriptedServer(
      refuse(429, 'rate_limited', now),
      refuse(409, 'idempotency_in_progress', now),
      answer(503, '<html>', { 'content-type': 'text/html', ...now }),
      answer(200, MONITOR),
    )
    assert.deepEqual(await clientOf(server).monitors.check('mon_1'), MONITOR)
    assert.equal(server.received.length, 4)
  })

  for (const [status, code, Class] of [
    [400, 'validation_error', ValidationError],
    [401, 'unauthorized', AuthenticationError],
    [403, 'forbidden', PermissionError],
    [404, 'not_found', NotFoundError],
    [409, 'conflict', ConflictError],
    [409, 'idempotency_conflict', ConflictError],
    [422, 'plan_limit', PlanError],
    [418, 'a_code_of_tomorrow', PharosError],
  ] as const) {
    test(`is not repeated for ${code}, which is a ${Class.name}`, async () => {
      await using server = await startScriptedServer(refuse(status, code))
      const error = await failure(clientOf(server).monitors.create(NEW))
      assert.ok(error instanceof Class)
      assert.equal(error.name, Class.name)
      assert.deepEqual([error.response?.status, error.response?.headers.get('x-request-id')], [status, 'req_1'])
      assert.match(error.response?.text ?? '', new RegExp(code))
      assert.deepEqual([error.code, error.status, error.requestId], [code, status, 'req_1'])
      assert.equal(error.message, `It is ${code}`)
      assert.equal(server.received.length, 1)
    })
  }

  test('is repeated maxRetries times at most', async () => {
    await using server = await startScriptedServer(refuse(503, 'internal_error', { 'retry-after': '0' }))
    const error = await failure(clientOf(server, { maxRetries: 2 }).monitors.list().page())
    assert.deepEqual([error.status, error.retryAfter], [503, 0])
    assert.equal(server.received.length, 3)
    await failure(clientOf(server).monitors.get('mon_1', { maxRetries: 0 }))
    assert.equal(server.received.length, 4)
  })

  test('is not repeated if the server asks for more time than maxRetryMs', async () => {
    await using server = await startScriptedServer(refuse(429, 'rate_limited', { 'retry-after': '3600' }))
    const error = await failure(clientOf(server).monitors.list().page())
    assert.deepEqual([error.code, error.retryAfter], ['rate_limited', 3600])
    assert.equal(server.received.length, 1)
  })

  test('has all faults of the request as details', async () => {
    const details = [{ path: 'url', message: 'is required' }]
    const error = { code: 'validation_error', message: 'url is required', requestId: 'req_2', details }
    await using server = await startScriptedServer(answer(400, { error }))
    const thrown = await failure(clientOf(server).monitors.create(NEW))
    assert.deepEqual([thrown.details, thrown.requestId], [details, 'req_2'])
  })

  test('names the server that cannot be reached', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`
    const error = await failure(clientOf({ url }, { maxRetries: 0 }).monitors.list().page())
    assert.deepEqual([error.code, error.status], ['network_error', 0])
    assert.match(error.message, /^Cannot reach http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED/)
  })

  test('never contains the API key', async () => {
    await using server = await startScriptedServer(refuse(401, 'unauthorized'))
    const pharos = clientOf(server)
    const error = await failure(pharos.monitors.list().page())
    assert.doesNotMatch(inspect([error, pharos], { depth: 9, showHidden: true }), /phr_secret/)
  })

  const html = { 'content-type': 'text/html', 'x-request-id': 'of-a-proxy' }
  for (const [what, step] of [
    ['is broken JSON', answer(200, '{"id":')],
    ['is the text "ok"', foreign('ok')],
    ['is the page of a proxy', foreign('<html>', html)],
    ['is JSON of another server', foreign('{"status":"ok"}', { 'content-type': 'application/json' })],
    ['is JSON, but not an object', answer(200, '"ok"')],
  ] as const) {
    test(`is an unexpected response if a success ${what}, and is not repeated`, async () => {
      await using server = await startScriptedServer(step)
      const pharos = clientOf(server)
      for (const call of [
        () => pharos.monitors.get('mon_1'),
        () => pharos.monitors.delete('mon_1'),
        () => pharos.monitors.list().toArray(),
        () => pharos.request('POST', '/monitors', { body: NEW }),
      ]) {
        const error = await failure(call())
        assert.deepEqual(
          [error.code, error.status, error.name],
          ['unexpected_response', 200, 'UnexpectedResponseError'],
        )
      }
      assert.equal(server.received.length, 4)
    })
  }

  test('is an unexpected response if a list has no page, or a text is JSON', async () => {
    await using server = await startScriptedServer(answer(200, { data: 'ok' }))
    assert.equal((await failure(clientOf(server).monitors.list().page())).code, 'unexpected_response')
    assert.equal((await failure(clientOf(server).metrics.monitors())).code, 'unexpected_response')
  })
})

describe('a call ends', () => {
  test('when an attempt takes longer than timeoutMs', async () => {
    await using server = await startScriptedServer(stall)
    const error = await failure(clientOf(server, { timeoutMs: 1_500, maxRetries: 1 }).monitors.get('mon_1'))
    assert.deepEqual([error.code, error.message], ['timeout', 'The server did not answer within 1.5 seconds'])
    assert.equal(server.received.length, 2)
  })

  test('when its signal is aborted: before, during and between attempts, with the reason of the signal', async () => {
    await using server = await startScriptedServer(stall, refuse(429, 'rate_limited', { 'retry-after': '60' }))
    const pharos = clientOf(server)
    const reason = new Error('enough')
    await assert.rejects(pharos.monitors.get('mon_1', { signal: AbortSignal.abort(reason) }), reason)
    assert.equal(server.received.length, 0)
    const during = new AbortController()
    const stalled = pharos.monitors.get('mon_1', { signal: during.signal })
    void eventually(async () => assert.equal(server.received.length, 1)).then(() => during.abort(reason))
    await assert.rejects(stalled, reason)
    const between = new AbortController()
    const onResponse = () => void setTimeout(() => between.abort(reason), 10)
    await assert.rejects(pharos.monitors.get('mon_1', { signal: between.signal, onResponse }), reason)
    assert.equal(server.received.length, 2)
  })
})

test('settings that cannot work are refused', () => {
  assert.throws(() => new Pharos({ url: 'ftp://example.com', apiKey: 'phr_x' }), /url must begin with https/)
  assert.throws(() => new Pharos({ url: 'http://localhost', apiKey: '' }), /apiKey must be an API key/)
  assert.throws(() => new Pharos({ url: 'http://localhost', apiKey: 'phr_x\n' }), /apiKey must be an API key/)
})
