import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Contract } from './conformance.ts'
import type { Answer } from './server.ts'

const document = JSON.parse(readFileSync(new URL('../../openapi-app.json', import.meta.url), 'utf8'))
const contract = new Contract(document)

/** Templates with fewer parameters first: /invitations/link is not an invitation called "link". */
const templates = Object.keys(document.paths)
  .toSorted((a, b) => a.split('{').length - b.split('{').length)
  .map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`) }))

/** Checks a response below /app/api against the committed document. */
export function expectAsDescribed(method: string, path: string, { status, body }: Answer): void {
  if (path.startsWith('/v1/')) return
  const called = `/app/api${path.split('?', 1)[0]}`
  const found = templates.find(
    ({ template, pattern }) => pattern.test(called) && document.paths[template][method.toLowerCase()] !== undefined,
  )
  if (found === undefined) return
  const what = `${method} ${path} → ${status} ${JSON.stringify(body).slice(0, 300)}`
  const described = document.paths[found.template][method.toLowerCase()].responses[status]
  assert.ok(described, `the document knows ${what}`)
  const validator = contract.validator(described.content['application/json'].schema)
  const isSound: boolean = validator.Check(body)
  assert.ok(isSound, `${what} ${JSON.stringify(validator.Errors(body)).slice(0, 500)}`)
}
