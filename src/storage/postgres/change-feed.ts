import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { MINUTE_MS, SECOND_MS } from '../../lib/clock.ts'
import { parseStored } from '../../lib/json.ts'
import type { Log } from '../../lib/log.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Watcher } from '../database.ts'
import type { ChangeNotice } from '../query.ts'
import { type Connector, closeAfter, destroyClient, endClient } from './connector.ts'
import type { Pool } from './pool.ts'
import { ordinaryLimits } from './session.ts'

const CHANNEL = 'pharos_changes'
/** Notices are collected for 100 ms: every NOTIFY takes a database-wide lock at commit. */
const SEND_DELAY_MS = 100
/** PostgreSQL limits payloads to less than 8000 bytes. */
const MAX_PAYLOAD_BYTES = 7_000
/** Above this, notices lose their id: "some resource of this kind has changed". */
const MAX_NOTICES = 500
/** Nodes with an active watcher announce it this often. Others send to them for three times as long. */
const ANNOUNCE_MS = 20 * SECOND_MS
const INTEREST_MS = MINUTE_MS
const RECONNECT_MS = 2 * SECOND_MS
const CONNECT_MS = 5 * SECOND_MS
/** The connection is used for nothing but waiting, so its loss is noticed only by asking. */
const ASK_MS = 10 * SECOND_MS
const ANSWER_MS = 5 * SECOND_MS

interface Message {
  readonly from: string
  /** Undefined in a message that announces an active watcher. */
  readonly changes?: readonly (readonly [orgId: string, kind: string, id: string | null])[]
}

/**
 * Sends notices of committed changes between nodes with LISTEN and NOTIFY. They are sent after the commit, because a
 * NOTIFY in a transaction serializes commits, and only while some node has an active watcher. Notices can be lost; they
 * only make screens update sooner.
 */
export function createChangeFeed(connector: Connector, pool: Pool, log: Log) {
  const self = randomBytes(6).toString('base64url')
  const closing = new AbortController()
  let watcher: Watcher | undefined
  let listener: pg.Client | undefined
  /** A node that has just started assumes that others are watching. */
  let interestUntil = performance.now() + INTEREST_MS
  let pending = new Map<string, ChangeNotice>()
  let sendTimer: NodeJS.Timeout | undefined
  let announceTimer: NodeJS.Timeout | undefined
  let reconnectTimer: NodeJS.Timeout | undefined
  let askTimer: NodeJS.Timeout | undefined

  function send(message: Omit<Message, 'from'>): void {
    const text = JSON.stringify({ from: self, ...message } satisfies Message)
    pool.query('select pg_notify($1, $2)', [CHANNEL, text]).catch(tolerate(log, 'notifying other nodes'))
  }

  function flush(): void {
    sendTimer = undefined
    const notices = [...pending.values()]
    pending = new Map()
    let batch: [string, string, string | null][] = []
    let bytes = 0
    for (const { orgId, kind, id } of notices) {
      batch.push([orgId, kind, id])
      bytes += orgId.length + kind.length + (id?.length ?? 4) + 12
      if (bytes < MAX_PAYLOAD_BYTES - 200) continue
      send({ changes: batch })
      batch = []
      bytes = 0
    }
    if (batch.length > 0) send({ changes: batch })
  }

  function enqueue(notices: readonly ChangeNotice[]): void {
    for (const { orgId, kind, id } of notices) {
      const sentId = pending.size < MAX_NOTICES ? id : null
      pending.set(`${orgId} ${kind} ${sentId}`, { orgId, kind, id: sentId })
    }
    sendTimer ??= setTimeout(flush, SEND_DELAY_MS)
  }

  function receive(text: string | undefined): void {
    const message = parseStored(text ?? '{}') as Message
    if (message.from === self) return
    if (message.changes === undefined) interestUntil = performance.now() + INTEREST_MS
    else if (watcher?.isActive()) watcher.notify(message.changes.map(([orgId, kind, id]) => ({ orgId, kind, id })))
  }

  async function listen(): Promise<void> {
    try {
      const { client } = await connector.connect(ordinaryLimits, CONNECT_MS)
      listener = client
      client.on('notification', ({ payload }) => receive(payload))
      client.on('error', () => lost(client))
      client.on('end', () => lost(client))
      await ask(client, `listen ${CHANNEL}`)
      askTimer = setInterval(() => void ask(client, 'select 1').catch(() => lost(client)), ASK_MS).unref()
      // Closed while it was connecting.
      if (closing.signal.aborted) await endClient(client)
    } catch (error) {
      log.warn({ err: error }, 'cannot open the connection for change notifications; retrying')
      if (listener === undefined) reconnectLater()
      else lost(listener)
    }
  }

  /** A connection that does not answer is closed. */
  async function ask(client: pg.Client, text: string): Promise<void> {
    await closeAfter(client, ANSWER_MS, () => client.query(text))
  }

  function lost(client: pg.Client): void {
    if (listener !== client) return
    listener = undefined
    clearInterval(askTimer)
    destroyClient(client)
    watcher?.connectionLost()
    reconnectLater()
  }

  function reconnectLater(): void {
    if (!closing.signal.aborted) reconnectTimer = setTimeout(() => void listen(), RECONNECT_MS)
  }

  const announceInterest = (): void => {
    if (watcher?.isActive()) send({})
  }

  return {
    /** Starts to listen. Processes that never watch, such as the command line, open no connection for it. */
    watch(by: Watcher): () => void {
      watcher = by
      void listen()
      announceTimer = setInterval(announceInterest, ANNOUNCE_MS).unref()
      return announceInterest
    },
    committed(notices: readonly ChangeNotice[]): void {
      if (watcher === undefined || closing.signal.aborted) return
      if (watcher.isActive()) watcher.notify(notices)
      if (performance.now() < interestUntil) enqueue(notices)
    },
    async close(): Promise<void> {
      closing.abort()
      for (const timer of [sendTimer, reconnectTimer]) clearTimeout(timer)
      for (const timer of [announceTimer, askTimer]) clearInterval(timer)
      if (listener !== undefined) await endClient(listener)
    },
  }
}
