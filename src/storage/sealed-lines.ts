import { gunzipSync, gzipSync } from 'node:zlib'
import { MAX_FOREIGN_CHARS } from '../lib/foreign-work.ts'
import type { Sealer } from '../lib/seal.ts'
import { insertBatch, sendAll } from './batch.ts'
import { createRest, type DbWork, execute, q } from './query.ts'
import { pruning } from './queue/prune.ts'

/** Of an organization. */
export interface TextId {
  readonly orgId: string
  readonly id: string
}

/** Fast rather than small: what is sealed in lines is deleted after a while. */
const LEVEL = 1
/** A line has at most 64 KiB, or one resource. */
const MAX_LINE_BYTES = 64 * MAX_FOREIGN_CHARS
/** Lines that are read or written with one statement. */
const PORTION = 8

/**
 * Large texts are sealed line by line, each compressed on its own, so that neither sealing nor opening, writing nor reading one holds
 * the event loop.
 */
export function sealLine(sealer: Sealer, text: TextId, num: number, line: string): string {
  return sealer.seal(gzipSync(line, { level: LEVEL }).toString('base64'), contextOf(text, num))
}

export function openLine(sealer: Sealer, text: TextId, num: number, sealed: string): string {
  const compressed = Buffer.from(sealer.open(sealed, contextOf(text, num)), 'base64')
  return gunzipSync(compressed, { maxOutputLength: MAX_LINE_BYTES }).toString()
}

function contextOf({ orgId, id }: TextId, num: number): string {
  return `sealed line ${orgId} ${id} ${num}`
}

const insert = insertBatch('sealed_lines', {
  org_id: 'text',
  text_id: 'text',
  num: 'bigint',
  sealed: 'text',
  expires_at: 'bigint',
})

/** Writes the sealed lines of a new text. Without `expiresAt` they stay until they are removed. */
export function* insertLines({ orgId, id }: TextId, sealed: readonly string[], expiresAt: number | null): DbWork<void> {
  const rest = createRest()
  for (let from = 0; from < sealed.length; from += PORTION) {
    const portion = sealed.slice(from, from + PORTION)
    yield* sendAll(
      insert,
      portion.map((line, i) => ({ org_id: orgId, text_id: id, num: from + i, sealed: line, expires_at: expiresAt })),
    )
    yield* rest()
  }
}

/** Reads some lines, or all of them, as they are sealed. */
export function* readLines(text: TextId, from = 0, count = Number.POSITIVE_INFINITY): DbWork<readonly string[]> {
  const found: string[] = []
  for (;;) {
    const next = from + found.length
    const last = Math.min(next + PORTION, from + count)
    const rows = yield* execute(linesOf(text).where('num', '>=', next).where('num', '<', last).orderBy('num'))
    found.push(...rows.map(({ sealed }) => sealed))
    if (rows.length < PORTION) return found
  }
}

const linesOf = ({ orgId, id }: TextId) =>
  q.selectFrom('sealed_lines').select('sealed').where('org_id', '=', orgId).where('text_id', '=', id)

export function* removeLines({ orgId, id }: TextId): DbWork<void> {
  yield* execute(q.deleteFrom('sealed_lines').where('org_id', '=', orgId).where('text_id', '=', id))
}

/** From now on the text does not expire. */
export function* keepLines({ orgId, id }: TextId): DbWork<void> {
  yield* execute(
    q.updateTable('sealed_lines').set({ expires_at: null }).where('org_id', '=', orgId).where('text_id', '=', id),
  )
}

export const pruneLines = pruning({
  table: 'sealed_lines',
  key: ['org_id', 'text_id', 'num'],
  by: 'expires_at',
})
