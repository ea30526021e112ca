import { WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import { type Installation, type Operation, type OperationContext, WithHeaders } from '../../contract/operation.ts'
import { toJson } from '../../contract/reason-fields.ts'
import type { Clock } from '../../lib/clock.ts'
import { Json, type TextParts } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { reason } from '../../reasons/reason.ts'
import type { Caller, Database } from '../../storage/database.ts'
import { type DbWork, inOneSnapshot } from '../../storage/query.ts'
import { audited } from './audit.ts'
import type { BulkTurns } from './bulk-turns.ts'
import {
  AnsweredElsewhere,
  findAnswer,
  findAnswerUnderLock,
  fingerprintOf,
  type IdempotencyRequest,
  inProgress,
  lockNameOf,
  peekAnswer,
  type StoredAnswer,
  storeAnswer,
} from './idempotency.ts'
import type { OperationInput } from './input.ts'
import type { ReplayLimits } from './replay-limits.ts'

export interface OperationResult {
  readonly status: number
  readonly text: TextParts
  readonly replayed: boolean
  /** Headers of this answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** The new session token for the cookie; null deletes the cookie. */
  readonly session?: string | null
  /** The user who has signed in with this request. */
  readonly signedInAs?: string
}

interface ChangeResult extends OperationResult, StoredAnswer {
  readonly text: string
}

export interface OperationRunner {
  readonly database: Database
  readonly bulkTurns: BulkTurns
  readonly replayLimits: ReplayLimits
  readonly sealer: Sealer
  readonly installation: Installation
  readonly clock: Clock
  /** Aborts network operations when the server stops. */
  readonly stopping: AbortSignal
}

/** Runs an operation whose request is authenticated and validated. */
export async function runOperation(
  given: OperationRunner,
  operation: Operation,
  context: OperationContext,
  input: OperationInput,
  idempotencyKey: string | undefined,
): Promise<OperationResult> {
  // Changes to a user's own account have no caller.
  const { orgId } = (context.caller as Caller | undefined) ?? {}
  const database = orgId === undefined ? given.database : given.database.forOrganization(orgId)
  if ('parts' in operation) {
    const text = await operation.parts(context, input as never, (work) => database.read(work))
    const { status, mediaType } = operation.answer
    return { status, text, replayed: false, ...(mediaType !== undefined && { headers: { 'content-type': mediaType } }) }
  }
  if (operation.access === 'read') {
    if (!('handle' in operation)) return runNetworkRead({ ...given, database }, operation, context, input)
    const work = operation.handle(context, input as never)
    const isList = operation.query !== undefined && operation.skipsSnapshot !== true
    return readResult(operation, context, await database.read(isList ? fromOneSnapshot(work) : work))
  }
  const runner = { ...given, database }
  if (idempotencyKey === undefined) return runChange(runner, operation, context, input, undefined)
  const request = {
    orgId: context.caller.orgId,
    key: idempotencyKey,
    fingerprint: fingerprintOf(operation, input),
    now: context.now,
  }
  const change = async () => {
    try {
      return await runChange(runner, operation, context, input, request)
    } catch (error) {
      // The lock was lost with its connection and another node has answered: the second run finds that response.
      if (error instanceof AnsweredElsewhere) return runChange(runner, operation, context, input, request)
      throw error
    }
  }
  // One transaction holds the lock of the key itself.
  const result = await ('handle' in operation ? change() : underLock(runner, request, change))
  if (!result.replayed) runner.replayLimits.count(request.orgId, result.text.length)
  return result
}

/** The page of a list and its total belong together. */
function* fromOneSnapshot<T>(work: DbWork<T>): DbWork<T> {
  yield* inOneSnapshot()
  return yield* work
}

/** Waits for the network with no transaction open. */
async function runNetworkRead(
  { database, installation, clock, stopping }: OperationRunner,
  operation: Extract<Operation, { run: unknown }>,
  context: OperationContext,
  input: OperationInput,
): Promise<OperationResult> {
  const given = input as never
  const found = await operation.run(await database.read(operation.prepare(context, given)), installation, stopping)
  return readResult(
    operation,
    context,
    await database.read(operation.save({ ...context, now: clock.now() }, given, found)),
  )
}

/** Runs one request at a time per key, across all nodes. A stored response is returned without waiting. */
async function underLock(
  { database, sealer }: OperationRunner,
  request: IdempotencyRequest,
  body: () => Promise<OperationResult>,
): Promise<OperationResult> {
  const lock = await database.tryLock(lockNameOf(request))
  if (lock === undefined) {
    const stored = await database.read(peekAnswer(request, sealer))
    if (stored !== undefined) return { ...stored, replayed: true }
    throw inProgress()
  }
  try {
    return await body()
  } finally {
    await lock.release()
  }
}

async function runChange(
  runner: OperationRunner,
  operation: Exclude<Operation, { parts: unknown }>,
  context: OperationContext,
  input: OperationInput,
  request: IdempotencyRequest | undefined,
): Promise<OperationResult> {
  const { database, sealer, installation, clock } = runner
  const given = input as never

  const find = (by: IdempotencyRequest): DbWork<StoredAnswer | undefined> =>
    'handle' in operation ? findAnswerUnderLock(database, by, sealer) : findAnswer(by, sealer)

  /** The change, its audit entry and the stored response commit together. */
  function* recorded(work: DbWork<unknown>): DbWork<ChangeResult> {
    const result = yield* audited(operation, context, input, answered(operation, context, work))
    if (request !== undefined) yield* storeAnswer(request, result, sealer)
    return result
  }

  function* replayed(): DbWork<OperationResult | undefined> {
    const stored = request && (yield* find(request))
    if (stored !== undefined) return { ...stored, replayed: true }
    requireSubscription(context.caller)
    return undefined
  }

  if ('handle' in operation) {
    const work = function* (): DbWork<OperationResult> {
      return (yield* replayed()) ?? (yield* recorded(operation.handle(context, given)))
    }
    return inTurn(runner, operation, context, (mode) => database.write(work, mode))
  }
  return inTurn(runner, operation, context, async (mode) => {
    const prepared = await database.write(function* () {
      const result = yield* replayed()
      return result === undefined ? { task: yield* operation.prepare(context, given) } : { result }
    }, mode)
    if ('result' in prepared) return prepared.result
    const found = await operation.run(prepared.task, installation, runner.stopping).catch(async (error: unknown) => {
      const { abandon } = operation
      if (abandon) await database.write(() => abandon({ ...context, now: clock.now() }, given, prepared.task))
      throw error
    })
    const after = { ...context, now: clock.now() }
    const saveMode = operation.savesMuch === true ? 'bulk' : mode
    return database.write(() => recorded(operation.save(after, given, found)), saveMode)
  })
}

/** A bulk operation waits for its turn. */
function inTurn<T>(
  { bulkTurns }: OperationRunner,
  { bulk, document }: Operation,
  { caller }: OperationContext,
  run: (mode: 'bulk' | undefined) => Promise<T>,
): Promise<T> {
  if (bulk !== true) return run(undefined)
  // The turn of a document began before its body was received.
  return document === undefined ? bulkTurns.run(caller.orgId, () => run('bulk')) : run('bulk')
}

export const NO_SUBSCRIPTION = reason('no_subscription')

/** Changes to a user's own account have no caller and need no subscription. */
function requireSubscription(caller: Caller | undefined): void {
  if (caller === undefined || caller.subscription === 'active') return
  throw new ApiError('subscription_required', NO_SUBSCRIPTION)
}

function* answered(operation: Operation, context: OperationContext, work: DbWork<unknown>): DbWork<ChangeResult> {
  return resultOf(operation, context, yield* work)
}

/** The parts of a large text are not joined. */
function readResult(operation: Operation, context: OperationContext, answer: unknown): OperationResult {
  if (!(answer instanceof Json)) return resultOf(operation, context, answer)
  return { status: operation.answer.status, text: answer.source, replayed: false }
}

function resultOf(operation: Operation, context: OperationContext, answer: unknown): ChangeResult {
  if (answer instanceof WithHeaders) return { ...resultOf(operation, context, answer.answer), headers: answer.headers }
  if (answer instanceof WithSession) {
    const { token: session, signedInAs } = answer
    return { ...resultOf(operation, context, answer.answer), session, ...(signedInAs !== undefined && { signedInAs }) }
  }
  const text = answer instanceof Json ? answer.text : toJson(answer, context.caller)
  return { status: operation.answer.status, text, replayed: false }
}
