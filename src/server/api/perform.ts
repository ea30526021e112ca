import { AfterCommit, WithSession } from '../../contract/app-operation.ts'
import { ApiError } from '../../contract/errors.ts'
import type { OperationContext, Installation, Operation } from '../../contract/operation.ts'
import type { Clock } from '../../lib/clock.ts'
import { Json } from '../../lib/json.ts'
import type { Sealer } from '../../lib/seal.ts'
import { type Soon, whenReady } from '../../lib/soon.ts'
import type { Caller, Database } from '../../storage/database.ts'
import type { DbWork } from '../../storage/query.ts'
import { audit } from './audit.ts'
import {
  AnsweredMeanwhile,
  fingerprintOf,
  glimpse,
  keep,
  replay,
  type StoredAnswer,
  type Ticket,
} from './idempotency.ts'
import type { OperationInput } from './input.ts'

export interface Performed extends StoredAnswer {
  readonly replayed: boolean
  /** The token that goes into the session's cookie; null takes the cookie away. */
  readonly session?: string | null
  /** To be done now that everything is committed. */
  readonly afterwards?: () => void
}

export interface Stage {
  readonly database: Database
  readonly sealer: Sealer
  readonly installation: Installation
  readonly clock: Clock
  /** Aborts when the server must stop now. */
  readonly stopping: AbortSignal
}

/** Carries out an operation whose request has passed every judgement that needs no look at the organization's data. */
export function perform(
  stage: Stage,
  operation: Operation,
  call: OperationContext,
  input: OperationInput,
  idempotencyKey: string | undefined,
): Soon<Performed> {
  const given = input as never
  if (operation.access === 'read') {
    if (!('handle' in operation)) return inquire(stage, operation, call, input)
    return whenReady(stage.database.read(operation.handle(call, given)), (answer) => fresh(operation, answer))
  }
  if (idempotencyKey === undefined) return change(stage, operation, call, input, undefined)
  const { orgId } = call.caller
  const ticket = { orgId, key: idempotencyKey, fingerprint: fingerprintOf(operation, input), now: call.now }
  return underLock(stage, ticket, async () => {
    try {
      return await change(stage, operation, call, input, ticket)
    } catch (error) {
      // The lock was lost with its connection and another node took over: its answer is there now.
      if (error instanceof AnsweredMeanwhile) return change(stage, operation, call, input, ticket)
      throw error
    }
  })
}

/** Reads what is needed, waits for the network with no transaction open, and changes nothing. */
async function inquire(
  { database, installation, clock, stopping }: Stage,
  operation: Exclude<Operation, { handle: unknown }>,
  call: OperationContext,
  input: OperationInput,
): Promise<Performed> {
  const given = input as never
  const found = await operation.run(await database.read(operation.prepare(call, given)), installation, stopping)
  return fresh(operation, await database.read(operation.save({ ...call, now: clock.now() }, given, found)))
}

/** One request at a time for one key, on all nodes together; an answer that is there already waits for nobody. */
async function underLock(
  { database, sealer }: Stage,
  ticket: Ticket,
  body: () => Promise<Performed>,
): Promise<Performed> {
  const lock = await database.tryLock(`idempotency ${ticket.orgId} ${ticket.key}`)
  if (lock === undefined) {
    const stored = await database.read(glimpse(ticket, sealer))
    if (stored !== undefined) return { ...stored, replayed: true }
    throw new ApiError('idempotency_in_progress', 'A request with this Idempotency-Key is still running; retry shortly')
  }
  try {
    return await body()
  } finally {
    await lock.release()
  }
}

async function change(
  stage: Stage,
  operation: Operation,
  call: OperationContext,
  input: OperationInput,
  ticket: Ticket | undefined,
): Promise<Performed> {
  const { database, sealer, installation, clock } = stage
  const given = input as never

  /** The change and the record of its answer, together or not at all. */
  function* landing(work: DbWork<unknown>): DbWork<Performed> {
    const performed = fresh(operation, yield* work)
    yield* audit(operation, call, input, performed.text)
    if (ticket !== undefined) yield* keep(ticket, performed, sealer)
    return performed
  }

  function* opening(): DbWork<Performed | undefined> {
    const stored = ticket && (yield* replay(ticket, sealer))
    if (stored !== undefined) return { ...stored, replayed: true }
    requireSubscription(call.caller)
    return undefined
  }

  if ('handle' in operation) {
    return database.write(function* () {
      return (yield* opening()) ?? (yield* landing(operation.handle(call, given)))
    })
  }
  const asked = await database.write(function* () {
    const replayed = yield* opening()
    return replayed === undefined ? { task: yield* operation.prepare(call, given) } : { replayed }
  })
  if ('replayed' in asked) return asked.replayed
  const found = await operation.run(asked.task, installation, stage.stopping)
  const after = { ...call, now: clock.now() }
  return database.write(() => landing(operation.save(after, given, found)))
}

/** What somebody does for themselves is no organization's business. */
function requireSubscription(caller: Caller | undefined): void {
  if (caller === undefined || caller.subscription === 'active') return
  throw new ApiError('subscription_required', 'The organization has no active subscription; reading still works')
}

function fresh(operation: Operation, answer: unknown): Performed {
  if (answer instanceof AfterCommit) return { ...fresh(operation, answer.answer), afterwards: answer.act }
  if (answer instanceof WithSession) return { ...fresh(operation, answer.answer), session: answer.token }
  const text = answer instanceof Json ? answer.text : JSON.stringify(answer)
  return { status: operation.answer.status, text, replayed: false }
}
