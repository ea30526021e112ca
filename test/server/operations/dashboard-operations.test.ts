import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { operations } from '../../../src/server/operations/table.ts'

const source = join(import.meta.dirname, '../../../dashboard/src')

interface Call {
  readonly file: string
  readonly method: string
  /** As in the OpenAPI document: `/contacts/{contactId}`. */
  readonly path: string
  readonly acceptsKey: boolean
}

/** Every call of the dashboard: `api.GET('/api/v1/contacts')` for keys and sessions, `app.GET('/app/api/me')` for sessions only. */
const calls: readonly Call[] = globSync('**/*.{ts,tsx}', { cwd: source }).flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8')
  const direct = [...text.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*'(\/api\/v1|\/app\/api)([^']*)'/g)]
  // A path in a constant is called with the methods next to it: `const url = '/api/v1/…'`, then `api.PUT(url`.
  const named = [...text.matchAll(/const (\w+) = '(\/api\/v1|\/app\/api)([^']*)'/g)].flatMap(([, name, prefix, path]) =>
    [...text.matchAll(new RegExp(`\\.(GET|POST|PUT|PATCH|DELETE)\\(${name}\\b`, 'g'))].map(([, method]) => {
      return ['', method, prefix, path] as const
    }),
  )
  return [...direct, ...named].map(([, method = '', prefix, path = '']) => {
    return { file, method, path, acceptsKey: prefix === '/api/v1' }
  })
})

/** Somebody's account, members and keys, and what the dashboard itself remembers: these need a session. */
const personal =
  /^\/(about|setup|sign-in|sign-out|sign-up|password-reset|me|sessions|organizations?|members|invitations|keys|setup-checklist)\b/

test('every action of the dashboard that is not personal has an operation that accepts an API key', () => {
  for (const { file, method, path, acceptsKey } of calls.filter((call) => !personal.test(call.path))) {
    const action = `${method} ${path} (dashboard/src/${file})`
    assert.ok(acceptsKey, `${action} needs a session; declare it in src/server/operations/table.ts`)
    const template = path.replace(/\{(\w+)\}/g, ':$1')
    assert.ok(
      operations.some((one) => one.method === method && one.path === template),
      `${action} is in no table`,
    )
  }
})

test('the dashboard is read completely', () => {
  for (const call of ['POST /contacts', 'PUT /monitors/{monitorId}/contacts/{contactId}', 'GET /me']) {
    assert.ok(
      calls.some(({ method, path }) => `${method} ${path}` === call),
      call,
    )
  }
})
