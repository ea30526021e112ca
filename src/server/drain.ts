import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50
/** Time between aborting network operations and closing all connections. */
const CUT_OFF_DELAY_MS = 3_000

/**
 * Stops accepting connections and waits for running requests. After `drainMs` calls `abort`, which ends network operations;
 * 3 s later closes all remaining connections.
 */
export async function drain(server: FastifyInstance, drainMs: number, abort: () => void): Promise<void> {
  const closed = server.close()
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
