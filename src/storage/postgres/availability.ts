import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { type Connector, closeAfter, destroyClient, endClient, messageOf, secondsOf } from './connector.ts'
import { isDiskFull, isEndOfSession } from './failures.ts'
import { ordinaryLimits, readOnlyReason } from './session.ts'

const QUESTION = `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as readonly`
/** For an answer on a new connection: for /readyz, and before all work fails. */
const CHECK_MS = 1_000
const VERDICT_MS = 1_500
const OUTAGE_ANSWER_MS = 500
const RETRY_MS = 250
/** For an answer on the open connection. If there is none, a new one is tried. */
const ANSWER_MS = 700
/** How often space for writes is looked for after a write has failed. */
const PROBE_MS = 2_000
/** Needs new space on the disk of the database, unlike an update of an existing row. Nothing remains of it. */
const TAKE_SPACE =
  "create temporary table pharos_space on commit drop as select repeat('x', 1500) as x from generate_series(1, 500)"
/** Work waits this long for the end of an outage, such as a restart or a promotion. Later it fails at once. */
const GRACE_MS = 3_000

/** PostgreSQL does not answer or cannot be reached. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

export type Availability = ReturnType<typeof watchAvailability>

/**
 * Finds out whether the database answers, on a connection of its own, so that a full pool of slow queries does not look like
 * an outage and an outage does not have to be found by every request.
 */
export function watchAvailability(connector: Connector, log: Log, onOutage: () => void) {
  const connection = createHealthConnection(connector)
  let outage: { readonly since: number; reason: string } | undefined
  let running: Promise<'standby' | 'setting' | null> | undefined
  let verdict: Promise<boolean> | undefined
  const ended = new Set<() => void>()
  const closing = new AbortController()
  /** Why writes have failed. A full disk refuses most of them, but not all: it counts until new space can be taken. */
  let writeFault: string | undefined
  let probedAt = Number.NEGATIVE_INFINITY

  /** Callers at the same time share one question. */
  function question(timeoutMs: number): Promise<'standby' | 'setting' | null> {
    running ??= connection
      .ask(QUESTION, timeoutMs)
      .then(({ rows: [row] }) => (row.standby ? 'standby' : row.readonly ? 'setting' : null))
      .finally(() => {
        running = undefined
      })
    return running
  }

  async function probeSpace(): Promise<void> {
    probedAt = performance.now()
    try {
      await connection.ask(TAKE_SPACE, CHECK_MS)
      writeFault = undefined
    } catch (error) {
      writeFault = messageOf(error)
    }
  }

  async function judge(since: number): Promise<boolean> {
    try {
      await question(VERDICT_MS)
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
        await question(CHECK_MS)
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
    /**
     * Rejects with the reason unless the database answers within 1.7 s and accepts writes. Looks for space for writes if one has
     * failed for lack of it, or if the check is thorough.
     */
    async check(isThorough = false): Promise<void> {
      // In an outage the answer comes soon, with the latest reason.
      const late = outage && delay(OUTAGE_ANSWER_MS, undefined, { ref: false })
      const asked = question(CHECK_MS).catch((error) => {
        throw new DatabaseUnavailable(sentence(messageOf(error)), { cause: error })
      })
      const readOnly = await (late === undefined ? asked : Promise.race([asked, late]))
      if (readOnly === undefined) throw new DatabaseUnavailable(sentence(outage?.reason ?? 'no answer'))
      if (readOnly !== null) throw new DatabaseUnavailable(sentence(readOnlyReason(readOnly)))
      if (isThorough || (writeFault !== undefined && performance.now() - probedAt >= PROBE_MS)) await probeSpace()
      if (writeFault !== undefined) throw new Error(`The database cannot save changes: ${writeFault}`)
    },
    /** Remembers an error that concerns all writes. */
    note(error: unknown): void {
      if (isDiskFull(error)) writeFault = messageOf(error)
    },
    /** A connection does not answer, or could not be opened, since then: asks the database, and resolves with the verdict. */
    suspect(since: number): Promise<boolean> {
      if (outage !== undefined) return Promise.resolve(false)
      verdict ??= judge(since).finally(() => {
        verdict = undefined
      })
      return verdict
    },
    /** False in an outage. */
    isUsable: () => outage === undefined,
    /** Waits for the end of a short outage. Throws if it lasts, or at the deadline. */
    async untilUsable(deadline: number): Promise<void> {
      while (outage !== undefined) {
        const waitMs = Math.min(deadline, outage.since + GRACE_MS) - performance.now()
        if (waitMs <= 0 || closing.signal.aborted) throw new DatabaseUnavailable(sentence(outage.reason))
        await endOfOutage(waitMs)
      }
    },
    async close(): Promise<void> {
      closing.abort()
      for (const wake of [...ended]) wake()
      await connection.close()
    },
  }
}

function sentence(reason: string): string {
  return `The database is not available: ${reason}`
}

/** A connection that only asks whether the server answers. It is replaced when it does not. */
function createHealthConnection(connector: Connector) {
  let client: pg.Client | undefined
  let isClosed = false

  async function askNew(text: string, timeoutMs: number): Promise<pg.QueryResult> {
    const startedAt = performance.now()
    const session = await connector.connect(ordinaryLimits, timeoutMs)
    if (isClosed) {
      destroyClient(session.client)
      throw new Error('the database is being closed')
    }
    const opened = session.client
    client = opened
    const restMs = Math.max(100, timeoutMs - (performance.now() - startedAt))
    return closeAfter(opened, restMs, () => opened.query(text))
  }

  return {
    /** `timeoutMs` is for a new connection and its answer. */
    async ask(text: string, timeoutMs: number): Promise<pg.QueryResult> {
      if (client === undefined) return askNew(text, timeoutMs)
      const open = client
      try {
        return await closeAfter(open, ANSWER_MS, () => open.query(text))
      } catch (error) {
        // Any answer but the end of the session is an answer.
        if (error instanceof pg.DatabaseError && !isEndOfSession(error)) throw error
        destroyClient(open)
        if (client === open) client = undefined
        return askNew(text, timeoutMs)
      }
    },
    async close(): Promise<void> {
      isClosed = true
      if (client !== undefined) await endClient(client)
    },
  }
}
