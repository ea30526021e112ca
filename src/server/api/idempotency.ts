import { hash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { UniqueViolation } from '../../storage/database.ts'
import { execute, first, q, run, statement, type DbWork } from '../../storage/query.ts'
import type { IdempotencyTable } from '../../storage/schema.ts'
import type { OperationInput } from './input.ts'

const keyPattern = /^[A-Za-z0-9._:-]{1,200}$/
const REPLAY_WINDOW_MS = DAY_MS

/** The key of a request, checked; absent where the request has none. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && keyPattern.test(header)) return header
  throw new ApiError(
    'invalid_idempotency_key',
    'Idempotency-Key must be 1 to 200 characters out of letters, digits, ".", "_", ":" and "-"',
  )
}

/** Equal for requests that ask for the same: the body is compared as validated, so a default may be spelled out or not. */
export function fingerprintOf({ method, path }: Operation, { params, body }: OperationInput): string {
  return hash('sha256', canonicalJson([method, path, params ?? null, body ?? null]), 'hex')
}

/** An answer as it is sent, and stored. */
export interface StoredAnswer {
  readonly status: number
  readonly text: string
}

export interface Ticket {
  readonly orgId: string
  readonly key: string
  readonly fingerprint: string
  readonly now: number
}

const find = statement(({ orgId, key }: { orgId: string; key: string }) =>
  q
    .selectFrom('idempotency_records')
    .select(['fingerprint', 'status', 'answer', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('key', '=', key),
)

const forget = statement(({ orgId, key }: { orgId: string; key: string }) =>
  q.deleteFrom('idempotency_records').where('org_id', '=', orgId).where('key', '=', key),
)

interface NewRecord {
  orgId: string
  key: string
  fingerprint: string
  status: number
  answer: string
  expiresAt: number
}

const insert = statement((r: NewRecord) =>
  q.insertInto('idempotency_records').values({
    org_id: r.orgId,
    key: r.key,
    fingerprint: r.fingerprint,
    status: r.status,
    answer: r.answer,
    expires_at: r.expiresAt,
  }),
)

/** The answer that was given to this key before; a conflict where it was given for something else. */
export function* replay(ticket: Ticket, sealer: Sealer): DbWork<StoredAnswer | undefined> {
  const record = yield* first(find, ticket)
  if (record === undefined) return undefined
  if (record.expires_at <= ticket.now) {
    yield* run(forget, ticket)
    return undefined
  }
  return opened(record, ticket, sealer)
}

/** The same for those who do not hold the key's lock: they change nothing. */
export function* glimpse(ticket: Ticket, sealer: Sealer): DbWork<StoredAnswer | undefined> {
  const record = yield* first(find, ticket)
  return record === undefined || record.expires_at <= ticket.now ? undefined : opened(record, ticket, sealer)
}

type Found = Pick<IdempotencyTable, 'fingerprint' | 'status' | 'answer'>

function opened({ fingerprint, status, answer }: Found, ticket: Ticket, sealer: Sealer): StoredAnswer {
  if (!sealer.isKeyedHashOf(fingerprint, ticket.fingerprint, contextOf(ticket))) {
    throw new ApiError('idempotency_conflict', 'This Idempotency-Key was already used for different input')
  }
  return { status, text: sealer.open(answer, contextOf(ticket)) }
}

/** Stores an answer in the transaction of the change it answers. */
export function* keep(ticket: Ticket, { status, text }: StoredAnswer, sealer: Sealer): DbWork<void> {
  const answer = sealer.seal(text, contextOf(ticket))
  try {
    // A bare hash would let whoever reads the database guess a password that was sent in the body.
    const fingerprint = sealer.keyedHash(ticket.fingerprint, contextOf(ticket))
    yield* run(insert, { ...ticket, fingerprint, status, answer, expiresAt: ticket.now + REPLAY_WINDOW_MS })
  } catch (error) {
    if (error instanceof UniqueViolation)
      throw new AnsweredMeanwhile('The key was used by another request', { cause: error })
    throw error
  }
}

/** Another node answered first; what this one did is rolled back, and its answer is the other's. */
export class AnsweredMeanwhile extends Error {
  override name = 'AnsweredMeanwhile'
}

function contextOf({ orgId, key }: Ticket): string {
  return `idempotency ${orgId} ${key}`
}

/** Forgets what may no longer be replayed, a few at a time; says how many. */
export function* pruneRecords(now: number, limit: number): DbWork<number> {
  const expired = yield* execute(
    q
      .deleteFrom('idempotency_records')
      .where((is) =>
        is(
          is.refTuple('org_id', 'key'),
          'in',
          q
            .selectFrom('idempotency_records')
            .select(['org_id', 'key'])
            .where('expires_at', '<=', now)
            .orderBy('expires_at')
            .limit(limit)
            .$asTuple('org_id', 'key'),
        ),
      )
      .returning('key'),
  )
  return expired.length
}
