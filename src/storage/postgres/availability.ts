import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { type Connector, destroyClient, endClient, messageOf, secondsOf } from './connector.ts'
import { isEndOfSession } from './failures.ts'
import { ordinaryLimits, readOnlyReason } from './session.ts'

/** For an answer on the open connection, and for one on a new connection if there is none. Together below 2 s, for /readyz. */
const ANSWER_MS = 700
const NEW_CONNECTION_MS = 1_000
const RETRY_MS = 250
/** Work waits this long for the end of an outage, such as a restart or a promotion. Later it fails at once. */
const GRACE_MS = 3_000

/** PostgreSQL does not answer or cannot be reached. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

export interface Availability {
  /** Rejects with the reason unless the database answers within 2 s and accepts writes. Has a connection of its own. */
  check(): Promise<void>
  /** Runs a query on the connection of the checks. */
  probe(text: string): Promise<void>
  /** A connection does not answer, or could not be opened, since then: asks the database, and resolves with the verdict. */
  suspect(since: number): Promise<boolean>
  /** False in an outage. */
  isUsable(): boolean
  /** Waits for the end of a short outage. Throws if it lasts, or at the deadline. */
  untilUsable(deadline: number): Promise<void>
  close(): Promise<void>
}

/**
 * Finds out whether the database answers, on a connection of its own, so that a full pool of slow queries does not look like
 * an outage and an outage does not have to be found by every request.
 */
export function watchAvailability(connector: Connector, log: Log, onOutage: () => void): Availability {
  let client: pg.Client | undefined
  let outage: { readonly since: number; reason: string } | undefined
  let running: Promise<'standby' | 'setting' | null> | undefined
  let verdict: Promise<boolean> | undefined
  const ended = new Set<() => void>()
  const closing = new AbortController()

  async function askOn(open: pg.Client, text: string, timeoutMs: number): Promise<pg.QueryResult> {
    const timer = setTimeout(
      () => destroyClient(open, new Error(`no answer within ${secondsOf(timeoutMs)} s`)),
      timeoutMs,
    )
    try {
      return await open.query(text)
    } finally {
      clearTimeout(timer)
    }
  }

  async function ask(text: string): Promise<pg.QueryResult> {
    if (client !== undefined) {
      const open = client
      try {
        return await askOn(open, text, ANSWER_MS)
      } catch (error) {
        // Any answer but the end of the session is an answer.
        if (error instanceof pg.DatabaseError && !isEndOfSession(error)) throw error
        destroyClient(open)
        if (client === open) client = undefined
      }
    }
    const startedAt = performance.now()
    const session = await connector.connect(ordinaryLimits, NEW_CONNECTION_MS)
    if (closing.signal.aborted) {
      destroyClient(session.client)
      throw new DatabaseUnavailable('The database is being closed')
    }
    client = session.client
    return askOn(client, text, Math.max(100, NEW_CONNECTION_MS - (performance.now() - startedAt)))
  }

  /** Callers at the same time share one question. */
  function question(): Promise<'standby' | 'setting' | null> {
    running ??= ask(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly`,
    )
      .then(({ rows: [row] }) => (row.standby ? 'standby' : row.readonly ? 'setting' : null))
      .finally(() => {
        running = undefined
      })
    return running
  }

  async function judge(since: number): Promise<boolean> {
    try {
      await question()
      return true
    } catch (error) {
      if (!closing.signal.aborted) begin(messageOf(error), since)
      return false
    }
  }

  function begin(reason: string, since: number): void {
    outage = { since, reason }
    log.error(`PostgreSQL is unavailable: ${reason}; work fails until it answers`)
    onOutage()
    void waitForEnd(outage)
  }

  async function waitForEnd(current: { readonly since: number; reason: string }): Promise<void> {
    while (!closing.signal.aborted) {
      await delay(RETRY_MS, undefined, { ref: false })
      try {
        await question()
        break
      } catch (error) {
        current.reason = messageOf(error)
      }
    }
    outage = undefined
    if (!closing.signal.aborted)
      log.warn(`PostgreSQL answers again after ${secondsOf(performance.now() - current.since)} s`)
    for (const wake of [...ended]) wake()
  }

  /** Resolves at the end of the outage or after the time. */
  function endOfOutage(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer)
        ended.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, timeoutMs)
      ended.add(wake)
    })
  }

  return {
    async check() {
      if (outage !== undefined) throw new DatabaseUnavailable(sentence(outage.reason))
      const readOnly = await question().catch((error) => {
        throw new DatabaseUnavailable(sentence(messageOf(error)), { cause: error })
      })
      if (readOnly !== null) throw new DatabaseUnavailable(sentence(readOnlyReason(readOnly)))
    },
    async probe(text) {
      await ask(text)
    },
    suspect(since) {
      if (outage !== undefined) return Promise.resolve(false)
      verdict ??= judge(since).finally(() => {
        verdict = undefined
      })
      return verdict
    },
    isUsable: () => outage === undefined,
    async untilUsable(deadline) {
      while (outage !== undefined) {
        const waitMs = Math.min(deadline, outage.since + GRACE_MS) - performance.now()
        if (waitMs <= 0 || closing.signal.aborted) throw new DatabaseUnavailable(sentence(outage.reason))
        await endOfOutage(waitMs)
      }
    },
    async close() {
      closing.abort()
      for (const wake of [...ended]) wake()
      if (client !== undefined) await endClient(client)
    },
  }
}

function sentence(reason: string): string {
  return `The database is not available: ${reason}`
}
