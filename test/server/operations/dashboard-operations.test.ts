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
  labels: /^\/labels\b|^\/monitors\/\{monitorId\}\/labels\b/,
  monitors: /^\/(monitors|mutes)\b/,
  incidents: /^\/incidents\b/,
  'published incidents': /^\/status-incidents\b/,
  'status pages': /^\/status-pages\b/,
  'maintenance windows': /^\/maintenance-windows\b/,
  webhooks: /^\/webhook-/,
  imports: /^\/(imports|configuration|shadow-runs)\b/,
  insight: /^\/(overview|uptime-report|wall-board|monitor-list|alert-coverage|usage|audit-log)\b/,
}

/** Somebody's account, members and keys, and what the dashboard itself remembers: these need a session. */
const personal =
  /^\/(about|setup|sign-in|sign-out|sign-up|password-reset|me|sessions|organizations?|members|invitations|keys|setup-checklist)\b/

function groupOf(path: string): string | undefined {
  return Object.entries(groups).find(([, pattern]) => pattern.test(path))?.[0]
}

for (const group of Object.keys(groups)) {
  test(`every action of the dashboard on ${group} has an operation that accepts an API key`, () => {
    const found = calls.filter(({ path }) => groupOf(path) === group)
    assert.ok(found.length > 0, `the dashboard calls nothing of ${group}; is its pattern right?`)
    for (const { file, method, path, acceptsKey } of found) {
      const action = `${method} ${path} (dashboard/src/${file})`
      assert.ok(acceptsKey, `${action} needs a session; declare it in src/server/operations/table.ts`)
      const template = path.replace(/\{(\w+)\}/g, ':$1')
      const operation = operations.find((one) => one.method === method && one.path === template)
      assert.ok(operation !== undefined, `${action} is in no table`)
    }
  })
}

test('every other action of the dashboard is personal', () => {
  for (const { file, method, path } of calls) {
    if (groupOf(path) === undefined) assert.match(path, personal, `${method} ${path} (dashboard/src/${file})`)
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
