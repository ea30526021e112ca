import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Fault } from '../../src/contract/errors.ts'
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
  contract.expectBody(operation, isPublic ? withoutReasons(answer) : answer, what, describedAs)
}

/** Beside each message of an error there is its code, which the public API does not have. */
function withoutReasons(answer: Answer): Answer {
  if (typeof answer.body?.error?.requestId !== 'string') return answer
  const { reason: _, details, ...error } = answer.body.error
  const plain = details?.map(({ path, message }: Fault) => ({ path, message }))
  return { ...answer, body: { error: { ...error, ...(plain && { details: plain }) } } }
}

/** The public document describes answers to keys. A session may also lack the role, or name an organization it is not in. */
function isOfSessions({ status, body }: Answer): boolean {
  return status === 403 || (status === 404 && body?.error?.message === 'No such organization')
}
