import { hash } from 'node:crypto'
import { ApiError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { canonicalJson, parseStored } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type Database, UniqueViolation } from '../../storage/database.ts'
import { type DbWork, first, q, send, statement } from '../../storage/query.ts'
import { pruning } from '../../storage/queue/prune.ts'
import type { IdempotencyTable } from '../../storage/schema/organizations.ts'
import type { OperationInput } from './input.ts'

const keyPattern = /^[A-Za-z0-9._:-]{1,200}$/
const REPLAY_WINDOW_MS = DAY_MS

export const MALFORMED_KEY = 'Idempotency-Key must be 1 to 200 characters out of letters, digits, ".", "_", ":" and "-"'
export const KEY_OF_OTHER_INPUT = 'This Idempotency-Key was already used for different input'

/** The validated Idempotency-Key header; undefined if there is none. */
export function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  if (typeof header === 'string' && keyPattern.test(header)) return header
  throw new ApiError('invalid_idempotency_key', MALFORMED_KEY)
}

/** Equal for equal requests. Uses the validated body, so a default that is spelled out equals one that is left out. */
export function fingerprintOf({ method, path }: Operation, { params, body, digest }: OperationInput): string {
  return hash('sha256', canonicalJson([method, path, params ?? null, digest ?? body ?? null]), 'hex')
}

/** A response as it is sent and stored. */
export interface StoredAnswer {
  readonly status: number
  readonly text: string
  /** Headers of this answer; absent in most. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Stands before the headers of an answer that has some. A body is JSON and never starts with it. */
const HEADERS_MARK = 'headers '

function storedText({ text, headers }: StoredAnswer): string {
  return headers === undefined ? text : `${HEADERS_MARK}${JSON.stringify(headers)}\n${text}`
}

function answerOf(status: number, stored: string): StoredAnswer {
  if (!stored.startsWith(HEADERS_MARK)) return { status, text: stored }
  const end = stored.indexOf('\n')
  return { status, text: stored.slice(end + 1), headers: parseStored(stored.slice(HEADERS_MARK.length, end)) }
}

export interface IdempotencyRequest {
  readonly orgId: string
  readonly key: string
  readonly fingerprint: string
  readonly now: number
}

const findRecord = statement(({ orgId, key }: { orgId: string; key: string }) =>
  q
    .selectFrom('idempotency_records')
    .select(['fingerprint', 'status', 'answer', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('key', '=', key),
)

const deleteRecord = statement(({ orgId, key }: { orgId: string; key: string }) =>
  q.deleteFrom('idempotency_records').where('org_id', '=', orgId).where('key', '=', key),
)

interface NewRecord {
  orgId: string
  key: string
  fingerprint: string
  status: number
  answer: string
  bytes: number
  expiresAt: number
}

const insertRecord = statement((r: NewRecord) =>
  q.insertInto('idempotency_records').values({
    org_id: r.orgId,
    key: r.key,
    fingerprint: r.fingerprint,
    status: r.status,
    answer: r.answer,
    bytes: r.bytes,
    expires_at: r.expiresAt,
  }),
)

/** The name of the lock that a request holds while it runs. */
export function lockNameOf({ orgId, key }: IdempotencyRequest): string {
  return `idempotency ${orgId} ${key}`
}

/**
 * The stored response for this key; undefined if there is none. Deletes an expired one. Throws if the input differs. The
 * caller holds the key's lock.
 */
export function* findAnswer(request: IdempotencyRequest, sealer: Sealer): DbWork<StoredAnswer | undefined> {
  return yield* answerIn(yield* first(findRecord, request), request, sealer)
}

/** Like `findAnswer`, but takes the key's lock until the end of the transaction. Throws if another request holds it. */
export function* findAnswerUnderLock(
  database: Database,
  request: IdempotencyRequest,
  sealer: Sealer,
): DbWork<StoredAnswer | undefined> {
  const { isLocked, row } = yield* database.firstUnderLock(lockNameOf(request), findRecord, request)
  if (isLocked) return yield* answerIn(row, request, sealer)
  if (row !== undefined && row.expires_at > request.now) return openAnswer(row, request, sealer)
  throw inProgress()
}

export function inProgress(): ApiError {
  const message = 'A request with this Idempotency-Key is still running; retry shortly'
  return new ApiError('idempotency_in_progress', message, { headers: { 'retry-after': '1' } })
}

function* answerIn(
  record: (Found & Pick<IdempotencyTable, 'expires_at'>) | undefined,
  request: IdempotencyRequest,
  sealer: Sealer,
): DbWork<StoredAnswer | undefined> {
  if (record === undefined) return undefined
  if (record.expires_at > request.now) return openAnswer(record, request, sealer)
  yield* send(deleteRecord, request)
  return undefined
}

/** Like `findAnswer`, without the key's lock: changes nothing. */
export function* peekAnswer(request: IdempotencyRequest, sealer: Sealer): DbWork<StoredAnswer | undefined> {
  const record = yield* first(findRecord, request)
  return record === undefined || record.expires_at <= request.now ? undefined : openAnswer(record, request, sealer)
}

type Found = Pick<IdempotencyTable, 'fingerprint' | 'status' | 'answer'>

function openAnswer({ fingerprint, status, answer }: Found, request: IdempotencyRequest, sealer: Sealer): StoredAnswer {
  const context = contextOf(request)
  if (!sealer.isKeyedHashOf(fingerprint, request.fingerprint, context)) {
    throw new ApiError('idempotency_conflict', KEY_OF_OTHER_INPUT)
  }
  return answerOf(status, sealer.open(answer, context))
}

/** Stores the response in the transaction of the change. */
export function* storeAnswer(request: IdempotencyRequest, given: StoredAnswer, sealer: Sealer): DbWork<void> {
  const context = contextOf(request)
  const answer = sealer.seal(storedText(given), context)
  const record = {
    ...request,
    // Keyed, because a plain hash would let a reader of the database guess a password in the body.
    fingerprint: sealer.keyedHash(request.fingerprint, context),
    status: given.status,
    answer,
    bytes: answer.length,
    expiresAt: request.now + REPLAY_WINDOW_MS,
  }
  yield* send(insertRecord, record, (error) =>
    error instanceof UniqueViolation
      ? new AnsweredElsewhere('The key was used by another request', { cause: error })
      : error,
  )
}

/** Another node has stored a response for this key. This transaction is rolled back and the other response is returned. */
export class AnsweredElsewhere extends Error {
  override name = 'AnsweredMeanwhile'
}

function contextOf({ orgId, key }: IdempotencyRequest): string {
  return `idempotency ${orgId} ${key}`
}

/** Deletes up to `limit` expired records; returns how many. */
export const pruneRecords = pruning({ table: 'idempotency_records', key: ['org_id', 'key'], by: 'expires_at' })
