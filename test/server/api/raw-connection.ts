import assert from 'node:assert/strict'
import { complaintsAbout, envelopeOf, headerOf } from '../../fuzz/judge.ts'
import type { Exchange, RawAnswer } from '../../fuzz/wire.ts'

/** What must come of one conversation: every answer's status, the code of a failure and the fault it names. */
export interface Expected {
  readonly answers: readonly (readonly [status: number, code?: string, path?: string])[]
  /** Says the last answer that the connection ends with it? */
  readonly closes?: boolean
}

export const LIST = '/api/v1/monitors'
export const BODY = '{"name":"stray","type":"CRON"}'

/** The one answer to what is no request. */
export const REFUSED: Expected = { answers: [[400, 'validation_error', 'request']], closes: true }

/** Holds the answers of a conversation against what was expected, and each against the contract. */
export function hold({ answers, rest }: Exchange, expected: Expected, heads: readonly number[] = []): void {
  const told = answers.map(({ status, body }) => `${status} ${body.slice(0, 300)}`).join('\n')
  assert.equal(answers.length, expected.answers.length, `answers:\n${told}`)
  assert.equal(rest, '', 'nothing but answers')
  for (const [i, [status, code, path]] of expected.answers.entries()) {
    const answer = answers[i] as RawAnswer
    assert.deepEqual(complaintsAbout(answer, { bodyless: heads.includes(i) }), [], told)
    assert.equal(answer.status, status, told)
    if (code !== undefined) assert.equal(envelopeOf(answer).code, code, told)
    const paths = path === undefined ? undefined : envelopeOf(answer).details?.map((fault) => fault.path)
    if (path !== undefined) assert.deepEqual(paths, [path], told)
  }
  if (expected.closes === undefined) return
  assert.equal(headerOf(answers.at(-1) as RawAnswer, 'connection') === 'close', expected.closes, told)
}
