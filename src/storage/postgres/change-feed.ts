import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { ChangeSubscription, Watcher } from '../database.ts'
import type { ChangeNotice } from '../query.ts'

const CHANNEL = 'pharos_changes'
/** What happens within so long travels together: one message, and one turn of the queue that all of the database shares. */
const GATHER_MS = 100
/** PostgreSQL takes messages of less than 8000 bytes. */
const MOST_BYTES = 7_000
/** More than this at once is told as: something of this kind has changed. */
const MOST_AT_ONCE = 500
/** Whoever has somebody watching says so this often, and is believed for three times as long. */
const ANNOUNCE_MS = 20 * SECOND_MS
const INTEREST_MS = MINUTE_MS
const RECONNECT_MS = 2 * SECOND_MS

interface Message {
  readonly from: string
  /** Absent in a message that only says that somebody is watching there. */
  readonly told?: readonly (readonly [orgId: string, kind: string, id: string | null])[]
}

/**
 * What nodes tell each other of their commits, by LISTEN and NOTIFY. It is sent after the commit and not with it, for a
 * NOTIFY makes commits queue up behind each other; and it is sent only while some node has somebody watching. So it may be
 * missed, and nothing depends on it but what people see a moment earlier.
 */
export function createChangeFeed(settings: pg.ClientConfig, pool: pg.Pool, log: Log) {
  const self = randomBytes(6).toString('base64url')
  const closing = new AbortController()
  let watcher: Watcher | undefined
  let ear: pg.Client | undefined
  /** A node that has just started does not know yet who is watching elsewhere. */
  let interestUntil = performance.now() + INTEREST_MS
  let gathered = new Map<string, ChangeNotice>()
  let sending: NodeJS.Timeout | undefined
  let announcing: NodeJS.Timeout | undefined
  let retrying: NodeJS.Timeout | undefined

  function send(message: Omit<Message, 'from'>): void {
    const text = JSON.stringify({ from: self, ...message } satisfies Message)
    pool.query('select pg_notify($1, $2)', [CHANNEL, text]).catch(tolerate(log, 'telling other nodes of changes'))
  }

  function flush(): void {
    sending = undefined
    const changes = [...gathered.values()]
    gathered = new Map()
    let batch: [string, string, string | null][] = []
    let bytes = 0
    for (const { orgId, kind, id } of changes) {
      batch.push([orgId, kind, id])
      bytes += orgId.length + kind.length + (id?.length ?? 4) + 12
      if (bytes < MOST_BYTES - 200) continue
      send({ told: batch })
      batch = []
      bytes = 0
    }
    if (batch.length > 0) send({ told: batch })
  }

  function gather(told: readonly ChangeNotice[]): void {
    for (const { orgId, kind, id } of told) {
      const known = gathered.size < MOST_AT_ONCE ? id : null
      gathered.set(`${orgId} ${kind} ${known}`, { orgId, kind, id: known })
    }
    sending ??= setTimeout(flush, GATHER_MS)
  }

  function hear(text: string | undefined): void {
    const message = JSON.parse(text ?? '{}') as Message
    if (message.from === self) return
    if (message.told === undefined) interestUntil = performance.now() + INTEREST_MS
    else if (watcher?.isActive()) watcher.notify(message.told.map(([orgId, kind, id]) => ({ orgId, kind, id })))
  }

  async function listen(): Promise<void> {
    const client = new pg.Client(settings)
    const again = (): void => {
      if (ear !== client) return
      ear = undefined
      watcher?.connectionLost()
      if (!closing.signal.aborted) retrying = setTimeout(() => void listen(), RECONNECT_MS)
    }
    ear = client
    client.on('notification', ({ payload }) => hear(payload))
    client.on('error', again)
    client.on('end', again)
    try {
      await client.connect()
      await client.query(`listen ${CHANNEL}`)
      // Closed while it was connecting.
      if (closing.signal.aborted) await client.end()
    } catch (error) {
      log.warn({ err: error }, 'the connection that hears of changes could not be opened')
      again()
    }
  }

  const announce = (): void => {
    if (watcher?.isActive()) send({})
  }

  return {
    /** Only those who watch listen: a command line that writes and goes has no use for it. */
    watch(by: Watcher): ChangeSubscription {
      watcher = by
      void listen()
      announcing = setInterval(announce, ANNOUNCE_MS).unref()
      return { announceInterest: announce }
    },
    committed(told: readonly ChangeNotice[]): void {
      if (watcher === undefined || closing.signal.aborted) return
      if (watcher.isActive()) watcher.notify(told)
      if (performance.now() < interestUntil) gather(told)
    },
    async close(): Promise<void> {
      closing.abort()
      for (const timer of [sending, retrying]) clearTimeout(timer)
      clearInterval(announcing)
      await ear?.end().catch(tolerate(log, 'closing the connection that hears of changes'))
    },
  }
}
