import { ordinaryLimits } from './session.ts'

/** How long work may take, as the node enforces it: a server that hangs enforces nothing. */
export interface WorkLimits {
  /** To get a connection. */
  readonly connectionMs: number
  /** For everything together, from waiting for a connection to the commit. */
  readonly totalMs: number
  /** For one statement. The server's own limit ends it earlier if the server works. */
  readonly statementMs: number
  /** How long work is begun again after a collision with other work or a lost connection. */
  readonly retryMs: number
}

/** Work that a client waits for. */
export const requestLimits: WorkLimits = { connectionMs: 4_000, totalMs: 5_000, statementMs: 5_000, retryMs: 4_000 }

/** A change of many things that a client waits for. Applying 20,000 changes of a document takes about a minute on a busy machine. */
export const bulkLimits: WorkLimits = { ...requestLimits, totalMs: 150_000, statementMs: 10_000, retryMs: 10_000 }

/** Work of background loops, of the start and of the command line. */
export const backgroundLimits: WorkLimits = {
  connectionMs: 10_000,
  totalMs: Number.POSITIVE_INFINITY,
  statementMs: ordinaryLimits.statementMs + 2_000,
  retryMs: 10_000,
}
