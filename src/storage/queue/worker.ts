import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Database } from '../database.ts'
import type { DbWork } from '../query.ts'
import { writeWithRetry } from '../write-with-retry.ts'
import type { ClaimRequest } from './queue.ts'

/** Due rows of one sort. Each lane has places of its own, so that slow rows do not delay the others. */
interface Lane<C> {
  /** The most rows in progress. May change. */
  readonly capacity: () => number
  readonly claim: (request: ClaimRequest) => DbWork<readonly C[]>
}

/** The part of a queue that its worker uses. */
interface WorkerQueue<C> {
  /** A read that is cheaper than a claim. */
  isAnyDue(dueBy: number): DbWork<boolean>
  release(claim: C, dueAt: number): DbWork<unknown>
  releaseCrashed(claim: C, now: number): DbWork<unknown>
  forgetCrashes(claim: C): DbWork<void>
}

interface AnyClaim {
  /** How often in a row its processing has crashed. */
  readonly crashes: number
}

export interface ClaimWork<C extends AnyClaim> {
  readonly name: string
  readonly queue: WorkerQueue<C>
  readonly lanes: readonly Lane<C>[]
  /** Rows are claimed this long after they are due. */
  readonly waitMs?: number
  readonly restMs: number
  /** Sends what a row stands for, and records the result. `signal` aborts it. */
  readonly process: (claim: C, signal: AbortSignal) => Promise<void>
  /** Names the row in the log. */
  readonly logFields: (claim: C) => Readonly<Record<string, string>>
}

export interface WorkerParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  readonly node: string
}

export type Worker = ReturnType<typeof startWorker>

const STOP_GRACE_MS = 5_000

/** Claims due rows and processes them. All state is in the rows. */
export function startWorker<C extends AnyClaim>(work: ClaimWork<C>, { database, clock, log, node }: WorkerParts) {
  const stopping = new AbortController()
  const lanes = work.lanes.map((lane) => ({ lane, running: new Set<Promise<void>>() }))

  async function tick(): Promise<Rest> {
    const now = clock.now()
    const dueBy = now - (work.waitMs ?? 0)
    if (!(await database.read(work.queue.isAnyDue(dueBy)))) return { restMs: work.restMs }
    let isMore = false
    for (const { lane, running } of lanes) {
      const limit = Math.floor(lane.capacity() - running.size)
      if (limit <= 0) continue
      const claims = await database.write(() => lane.claim({ node, now: clock.now(), dueBy, limit }))
      for (const claim of claims) start(claim, running)
      isMore ||= claims.length === limit
    }
    return isMore ? 'again' : { restMs: work.restMs }
  }

  function start(claim: C, running: Set<Promise<void>>): void {
    const done = processClaim(work, claim, { database, clock, log, stopping: stopping.signal }).finally(() => {
      running.delete(done)
      loop.nudge()
    })
    running.add(done)
  }

  const loop: Loop = startLoop(work.name, log, tick)
  return {
    /** Looks for due rows now instead of at the next tick. */
    nudge: () => loop.nudge(),
    /** Work in progress is aborted after the grace period. */
    async stop(graceMs = STOP_GRACE_MS): Promise<void> {
      if (graceMs === 0) stopping.abort()
      await loop.stop()
      const timeout = setTimeout(() => stopping.abort(), graceMs)
      await Promise.all(lanes.flatMap(({ running }) => [...running]))
      clearTimeout(timeout)
      stopping.abort()
    },
  }
}

/**
 * Processes one claimed row. If that throws, the row is released and waits, the longer the more often it has thrown in a row or
 * ended its node: it blocks no other row, and does not stay claimed until its lease ends. If even the release cannot be
 * written, the lease ends it.
 */
export async function processClaim<C extends AnyClaim>(
  work: Pick<ClaimWork<C>, 'process' | 'queue' | 'logFields'>,
  claim: C,
  { database, clock, log, stopping }: Omit<WorkerParts, 'node'> & { readonly stopping: AbortSignal },
): Promise<void> {
  const logFields = work.logFields(claim)
  try {
    await work.process(claim, stopping)
  } catch (error) {
    const crashes = claim.crashes + (stopping.aborted ? 0 : 1)
    log.error({ err: error, crashes, ...logFields }, 'queued work failed; retrying')
    const now = clock.now()
    const release = () => (stopping.aborted ? work.queue.release(claim, now) : work.queue.releaseCrashed(claim, now))
    const failureMessage = 'a claimed row could not be released; it is tried again when its lease ends'
    await writeWithRetry<unknown>(release, { database, clock, log, stopping, failureMessage, logFields })
    return
  }
  if (claim.crashes === 0) return
  const forget = database.write(() => work.queue.forgetCrashes(claim))
  await forget.catch(tolerate(log, 'forgetting the crashes of a row'))
}
