import type { Kysely } from 'kysely'
import { q } from '../query.ts'

/** Kysely cannot type a query on a table that is a type parameter. The functions that use this are typed instead. */
export const loose = q as unknown as Kysely<Record<string, Record<string, unknown>>>

/** The keys of the rows whose time is at or before `until`, the oldest first. */
export function oldestRows(table: string, key: readonly string[], by: string, until: number, filter?: unknown) {
  const rows = loose
    .selectFrom(table)
    .select([...key])
    .where(by, '<=', until)
  return (filter === undefined ? rows : rows.where(filter as never)).orderBy(by)
}
