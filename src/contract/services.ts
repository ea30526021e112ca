import type { ForeignWork } from '../lib/foreign-work.ts'
import type { Email, SendEmail } from '../outbound/email.ts'
import type { SendHttp } from '../outbound/outgoing-request.ts'
import { reason } from '../reasons/reason.ts'
import type { DbWork } from '../storage/query.ts'
import { ApiError } from './errors.ts'

/** How messages to contacts are sent. */
export interface Transports {
  readonly post: SendHttp
  /** Undefined if no mail server is configured. */
  readonly mail: SendEmail | undefined
}

/** What operations use besides the database. */
export interface Services {
  /** Environment variables that are not set, without which no mail is sent. */
  readonly missingMailVariables: readonly string[]
  readonly transports: Transports
  /** Threads for foreign text. */
  readonly foreign: ForeignWork
  /** Where uploaded files are until they have been read. */
  readonly uploadFolder: string
  /** Counts a use against a limit and returns the time to wait, or 0 if it is permitted. */
  readonly countUse: (subject: string, maxPerMinute: number, now: number) => number
  /**
   * For requests that are refused again and again. Throws `rate_limited` if the subject was refused `maxPerHour` times within an hour,
   * on this node; `count` adds a refusal, also if the transaction of the caller is rolled back.
   */
  readonly refusals: (subject: string, maxPerHour: number, now: number) => { readonly count: () => void }
  /** Runs work in a transaction of its own: it stays if that of the caller is rolled back. Nobody waits for it. */
  readonly runApart: (what: string, work: () => DbWork<void>) => void
  /**
   * Queues an e-mail in the transaction of the caller. It is not sent after `expiresAt`, when its link has expired. Undefined if no
   * mail server is configured.
   */
  readonly queueMail: ((email: Email, expiresAt: number, now: number) => DbWork<void>) | undefined
}

/** Throws `rate_limited` if the subject has used up its allowance. Work that runs again is counted again. */
export function enforceRateLimit({ countUse }: Services, subject: string, maxPerMinute: number, now: number): void {
  const waitMs = countUse(subject, maxPerMinute, now)
  if (waitMs > 0) throw tooMany(waitMs)
}

/** The error of a subject that has used up its allowance. */
export function tooMany(waitMs: number): ApiError {
  const seconds = Math.ceil(waitMs / 1000)
  return new ApiError('rate_limited', reason('too_many_requests', { seconds }), {
    headers: { 'retry-after': `${seconds}` },
  })
}
