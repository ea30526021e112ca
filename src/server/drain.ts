import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Listener } from './listen.ts'

const SWEEP_MS = 50
/** Time between aborting network operations and closing all connections. */
const CUT_OFF_DELAY_MS = 3_000

/**
 * Serves on while load balancers learn that this node is stopping: /readyz answers 503, and every response closes its
 * connection, so that the next request opens one elsewhere.
 */
export async function announceStop(server: FastifyInstance, drainMs: number, setNotReady: () => void): Promise<void> {
  if (drainMs === 0) return
  setNotReady()
  server.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  await delay(drainMs)
}

/**
 * Stops accepting connections and waits for running requests. After `drainMs` calls `abort`, which ends network operations;
 * 3 s later closes all remaining connections.
 */
export async function drain(
  server: FastifyInstance,
  listener: Listener,
  drainMs: number,
  abort: () => void,
): Promise<void> {
  const closed = listener.close()
  // Node keeps a connection alive if its request was running when the listener closed.
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS)
  const late = setTimeout(abort, drainMs)
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs + CUT_OFF_DELAY_MS)
  try {
    await closed
  } finally {
    clearInterval(sweep)
    clearTimeout(late)
    clearTimeout(cut)
  }
}
