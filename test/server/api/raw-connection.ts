import assert from 'node:assert/strict'
import { envelopeOf, headerOf, problemsOf } from '../../fuzz/check-response.ts'
import type { Exchange, RawAnswer } from '../../support/raw-http.ts'

/** Expected responses on one connection: status, error code and the fault's path. */
export interface Expected {
  readonly answers: readonly (readonly [status: number, code?: string, path?: string])[]
  /** Whether the last response has `connection: close`. */
  readonly closes?: boolean
}

export const LIST = '/api/v1/monitors'
export const BODY = '{"name":"stray","type":"CRON"}'

/** The response to invalid HTTP. */
export const REFUSED: Expected = { answers: [[400, 'validation_error', 'request']], closes: true }

/** Compares the responses on a connection with the expected ones, and checks each against the contract. */
export function hold({ answers, rest }: Exchange, expected: Expected, heads: readonly number[] = []): void {
  const received = answers.map(({ status, body }) => `${status} ${body.slice(0, 300)}`).join('\n')
  assert.equal(answers.length, expected.answers.length, `answers:\n${received}`)
  assert.equal(rest, '', 'nothing but answers')
  for (const [i, [status, code, path]] of expected.answers.entries()) {
    const answer = answers[i] as RawAnswer
    assert.deepEqual(problemsOf(answer, { bodyless: heads.includes(i) }), [], received)
    assert.equal(answer.status, status, received)
    if (code !== undefined) assert.equal(envelopeOf(answer).code, code, received)
    const paths = path === undefined ? undefined : envelopeOf(answer).details?.map((fault) => fault.path)
    if (path !== undefined) assert.deepEqual(paths, [path], received)
  }
  if (expected.closes === undefined) return
  assert.equal(headerOf(answers.at(-1) as RawAnswer, 'connection') === 'close', expected.closes, received)
}
