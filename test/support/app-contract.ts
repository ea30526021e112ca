import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Contract, publicContract } from './conformance.ts'
import type { Answer } from './server.ts'

const app = new Contract(JSON.parse(readFileSync(new URL('../../openapi-app.json', import.meta.url), 'utf8')))

/** An HTML page, not an operation. */
const PREVIEW = /^\/status-pages\/[^/]+\/preview(\?|$)/

/**
 * Checks a response below /app/api against the committed documents; paths below /v1 are the operations of the public API.
 * A path that no document has is a mistake of the test: its 404 would look like that of a resource that is missing.
 */
export function expectAsDescribed(method: string, path: string, answer: Answer): void {
  if (PREVIEW.test(path)) return
  const isPublic = path.startsWith('/v1/')
  const contract = isPublic ? publicContract : app
  const asked = { method, path: isPublic ? path.slice('/v1'.length) : path }
  const operation = contract.operationFor(asked, isPublic ? '/api/v1' : '/app/api')
  const what = `${method} ${path} → ${answer.status} ${JSON.stringify(answer.body)?.slice(0, 300)}`
  assert.ok(operation, `${what}: there is no such operation`)
  // Every operation has a 401, with the body of an error.
  const describedAs = isPublic && isOfSessions(answer) ? 401 : answer.status
  contract.expectBody(
    operation,
    isPublic ? { ...answer, body: withoutReasons(answer.body) } : answer,
    what,
    describedAs,
  )
}

/** Beside each sentence there is its code, which the public API does not have. */
function withoutReasons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReasons)
  if (typeof value !== 'object' || value === null) return value
  const isCode = (name: string): boolean => {
    if (name === 'reason') return 'message' in value
    const sentence = name.replace(/Reasons?$/, '')
    return sentence !== name && sentence in value
  }
  const members = Object.entries(value).filter(([name]) => !isCode(name))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutReasons(member)]))
}

/** The public document describes answers to keys. A session may also lack the role, or name an organization it is not in. */
function isOfSessions({ status, body }: Answer): boolean {
  return status === 403 || (status === 404 && body?.error?.message === 'No such organization')
}
