import type { Socket } from 'node:net'
import type pg from 'pg'

/** Joins everything that is sent on this connection in the current turn of the event loop into one packet. */
export function corked(client: pg.PoolClient): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Socket } }).connection
  stream.cork()
  process.nextTick(() => stream.uncork())
}
