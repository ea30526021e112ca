import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicContract as contract, expectConforms } from './conformance.ts'
import { monitorDefaults } from './contract.ts'
import type { Answer } from './server.ts'

const headers = {
  'x-request-id': 'req_1',
  'ratelimit-limit': '120',
  'ratelimit-remaining': '119',
  'ratelimit-reset': '60',
  ratelimit: 'public-api;r=119;t=60',
  'ratelimit-policy': 'public-api;q=120;w=60',
  'content-type': 'application/json; charset=utf-8',
}

const monitor = {
  ...monitorDefaults,
  id: 'mon_1',
  name: 'A',
  type: 'CRON',
  state: 'PENDING',
  heartbeatUrl: 'https://pharos.example/heartbeat/x',
  lastCheckedAt: null,
  lastStatusChangedAt: null,
  lastResponseMs: null,
  certExpiresAt: null,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

const get = { method: 'GET', path: '/monitors/mon_1' }
const create = { method: 'POST', path: '/monitors' }
const list = { method: 'GET', path: '/monitors?limit=1' }
const page = { data: [monitor], pagination: { limit: 1, offset: 0, total: 1 } }
const error = { code: 'validation_error', message: 'x', requestId: 'req_1', details: [{ path: 'name', message: 'x' }] }
const { id: _, ...nameless } = monitor

function answer(status: number, body: unknown, changed: Record<string, string | null> = {}): Answer {
  const all = Object.entries({ ...headers, ...changed }).filter((pair): pair is [string, string] => pair[1] !== null)
  return { status, headers: new Headers(all), body }
}

test('answers by the contract conform', () => {
  expectConforms(answer(200, monitor), get, contract)
  expectConforms(answer(201, monitor, { 'idempotency-replayed': 'true' }), create, contract)
  expectConforms(answer(200, page), list, contract)
  expectConforms(answer(200, { data: { id: 'mon_1' } }), { ...get, method: 'DELETE' }, contract)
  expectConforms(answer(200, undefined), { ...get, method: 'HEAD' }, contract)
  expectConforms(answer(400, { error }), create, contract)
  const refused = { error: { code: 'unauthorized', message: 'x', requestId: 'req_1' } }
  expectConforms(answer(401, refused, { 'www-authenticate': 'Bearer' }), get, contract)
})

const wrong: readonly (readonly [string, Answer, typeof get])[] = [
  ...Object.keys(headers).map((name) => [`no ${name}`, answer(200, monitor, { [name]: null }), get] as const),
  ['a RateLimit of other form', answer(200, monitor, { ratelimit: '"public-api";r=119;t=60' }), get],
  ['a RateLimit that says something else', answer(200, monitor, { ratelimit: 'public-api;r=118;t=60' }), get],
  ['a policy that says something else', answer(200, monitor, { 'ratelimit-policy': 'public-api;q=10;w=60' }), get],
  ['a limit that is no number', answer(200, monitor, { 'ratelimit-limit': '12e1' }), get],
  ['CORS', answer(200, monitor, { 'access-control-allow-origin': '*' }), get],
  ['Retry-After without 429', answer(200, monitor, { 'retry-after': '60' }), get],
  ['a field more', answer(200, { ...monitor, org: 'x' }), get],
  ['a field less', answer(200, nameless), get],
  ['a field of another type', answer(200, { ...monitor, port: '80' }), get],
  ['null where it must not be', answer(200, { ...monitor, method: null }), get],
  ['a time without milliseconds', answer(200, { ...monitor, createdAt: '2026-01-01T00:00:00Z' }), get],
  ['a wrong monitor in a page', answer(200, { ...page, data: [nameless] }), list],
  ['a page without a total', answer(200, { ...page, pagination: { limit: 1, offset: 0 } }), list],
  ['200 for a creation', answer(200, monitor), create],
  ['a status that the document does not know', answer(409, { error: { ...error, code: 'conflict' } }), list],
  ['a code that belongs to another status', answer(400, { error: { ...error, code: 'conflict' } }), create],
  ['an unknown code', answer(400, { error: { ...error, code: 'bad' } }), create],
  ['another request id', answer(400, { error: { ...error, requestId: 'req_2' } }), create],
  ['an error without a message', answer(400, { error: { ...error, message: '' } }), create],
  ['a validation error without details', answer(400, { error: { ...error, details: undefined } }), create],
  ['more than the error in the envelope', answer(400, { error, data: 1 }), create],
  ['more than is known in the error', answer(400, { error: { ...error, stack: 'x' } }), create],
  ['401 without WWW-Authenticate', answer(401, { error: { ...error, code: 'unauthorized', details: undefined } }), get],
  ['405 without Allow', answer(405, { error: { ...error, code: 'method_not_allowed', details: undefined } }), get],
  ['a body with HEAD', answer(200, monitor), { ...get, method: 'HEAD' }],
]
for (const [what, bad, asked] of wrong) {
  test(`an answer with ${what} does not conform`, () => {
    assert.throws(() => expectConforms(bad, asked, contract), assert.AssertionError)
  })
}
