import type { FastifyInstance } from 'fastify'

const SWEEP_MS = 50
/** What was told to end gets this long to give its answer. */
const LAST_WORDS_MS = 3_000

/**
 * Takes no new connections and lets the requests under way have their answers. After `drainMs` those that wait for the
 * network are told to end; whoever has not even finished asking soon after is cut off.
 */
export async function drain(server: FastifyInstance, drainMs: number, hurry: () => void): Promise<void> {
  const closed = server.close()
  // A connection whose request was under way when the listener closed would be kept alive after its answer.
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_MS)
  const late = setTimeout(hurry, drainMs)
  const cut = setTimeout(() => server.server.closeAllConnections(), drainMs + LAST_WORDS_MS)
  try {
    await closed
  } finally {
    clearInterval(sweep)
    clearTimeout(late)
    clearTimeout(cut)
  }
}
