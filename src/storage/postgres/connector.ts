import pg from 'pg'
import type { Log } from '../../lib/log.ts'
import { type DatabaseHosts, hostLabel } from './hosts.ts'
import { prepareSession, readOnlyReason, type SessionFacts, type SessionLimits } from './session.ts'
import { type TlsSettings, tlsFault, tlsOptions } from './tls.ts'

/** A host that does not answer may cost only a part of the time: another one may be available. */
const HOST_TIMEOUT_MS = 2_000

const settings: pg.ClientConfig = {
  application_name: 'pharos',
  keepAlive: true,
  keepAliveInitialDelayMillis: 5_000,
  // Sends statements without waiting for the results of earlier ones.
  pipeline: true,
}

export interface Session {
  readonly client: pg.Client
  readonly facts: SessionFacts
}

export type Connector = ReturnType<typeof createConnector>

/** Opens all connections of a node, so that all of them find the current primary. */
export function createConnector({ urls, needsWrites, tls }: DatabaseHosts, log: Log) {
  let lastGood = 0
  return {
    /** Opens a session within the time, on the first host that works, beginning with the last one that did. */
    async connect(limits: SessionLimits, timeoutMs: number): Promise<Session> {
      const endsAt = performance.now() + timeoutMs
      const failures: string[] = []
      let cause: unknown
      const first = lastGood
      for (let i = 0; i < urls.length; i += 1) {
        const index = (first + i) % urls.length
        const restMs = endsAt - performance.now()
        if (i > 0 && restMs < 50) break
        const client = newClient(urls[index] as string, tls)
        const label = hostLabel(client)
        try {
          const hostMs = urls.length === 1 ? restMs : Math.min(HOST_TIMEOUT_MS, restMs)
          const facts = await openSession(client, limits, hostMs)
          if (needsWrites && facts.readOnly !== null) throw new Error(readOnlyReason(facts.readOnly))
          if (index !== lastGood) log.warn(`switched to the PostgreSQL server ${label}`)
          lastGood = index
          return { client, facts }
        } catch (error) {
          destroyClient(client)
          failures.push(urls.length === 1 ? messageOf(error) : `${label}: ${messageOf(error)}`)
          cause = error
        }
      }
      throw new CannotConnect(failures.join('; '), { cause })
    },
  }
}

/** Never encrypted on a Unix socket, as with libpq. Without `ssl` the driver would read the environment. */
function newClient(connectionString: string, tls: TlsSettings): pg.Client {
  const client = new pg.Client({ ...settings, connectionString, ssl: tlsOptions(tls) })
  return client.host.startsWith('/') ? new pg.Client({ ...settings, connectionString, ssl: false }) : client
}

/** No host of DATABASE_URL could be used; the message names the reason of each. */
class CannotConnect extends Error {
  override name = 'CannotConnect'
}

async function openSession(client: pg.Client, limits: SessionLimits, timeoutMs: number): Promise<SessionFacts> {
  // Without a listener, an 'error' event would end the process. Queries in progress fail as well.
  client.on('error', () => undefined)
  return closeAfter(client, timeoutMs, async () => {
    await client.connect()
    return prepareSession(client, limits)
  })
}

/** Closes the connection if the task takes longer. Then the task fails, with this reason. */
export async function closeAfter<T>(client: pg.Client, timeoutMs: number, task: () => Promise<T>): Promise<T> {
  let isDone = false
  let isLate = false
  const close = (): void => {
    if (isDone) return
    isLate = true
    destroyClient(client)
  }
  // If this process was stalled, the answer may be there and unread: it is read first.
  const timer = setTimeout(() => setImmediate(close), timeoutMs)
  try {
    return await task()
  } catch (error) {
    throw isLate ? new Error(`no answer within ${secondsOf(timeoutMs)} s`, { cause: error }) : error
  } finally {
    isDone = true
    clearTimeout(timer)
  }
}

/** Closes a connection at once, without asking the server. Its queries fail with the error. */
export function destroyClient(client: pg.Client, error?: Error): void {
  client.connection.stream.destroy(error)
}

const GOODBYE_MS = 500

/** Ends a connection; closes it by force if the server does not answer. */
export async function endClient(client: pg.Client): Promise<void> {
  const timer = setTimeout(() => destroyClient(client), GOODBYE_MS)
  await client.end().catch(() => undefined)
  clearTimeout(timer)
}

export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0])
  const fault = tlsFault(error)
  if (fault !== undefined) return fault
  return error instanceof Error ? error.message : String(error)
}

export function secondsOf(ms: number): string {
  return String(Math.round(ms / 100) / 10)
}
