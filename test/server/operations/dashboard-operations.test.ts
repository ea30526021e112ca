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

/** What can be done with an API key, by the paths below the prefix. A path belongs to the first group that matches. */
const groups: Readonly<Record<string, RegExp>> = {
  contacts: /^\/(contacts|contact-channels)\b|^\/monitors\/\{monitorId\}\/contacts\b/,
}

for (const [group, pattern] of Object.entries(groups)) {
  test(`every action of the dashboard on ${group} has an operation that accepts an API key`, () => {
    const found = calls.filter(({ path }) => pattern.test(path))
    assert.ok(found.length > 0, 'the dashboard has such actions')
    for (const { file, method, path, acceptsKey } of found) {
      const action = `${method} ${path} (dashboard/src/${file})`
      assert.ok(acceptsKey, `${action} needs a session; declare it in src/server/operations/table.ts`)
      const template = path.replace(/\{(\w+)\}/g, ':$1')
      const operation = operations.find((one) => one.method === method && one.path === template)
      assert.ok(operation !== undefined, `${action} is in no table`)
    }
  })
}

test('the dashboard is read completely', () => {
  for (const call of ['POST /contacts', 'PUT /monitors/{monitorId}/contacts/{contactId}', 'GET /me']) {
    assert.ok(
      calls.some(({ method, path }) => `${method} ${path}` === call),
      call,
    )
  }
})
