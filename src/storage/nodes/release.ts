import { all, type DbWork, first, q, run, statement } from '../query.ts'

/** A row of a queue whose processing has crashed. */
export interface CrashedRow {
  /** The table of the row. */
  readonly queue: string
  readonly rowKey: string
  /** How often in a row. */
  readonly crashes: number
  /** Null if it is not processed again. */
  readonly retryAt: number | null
}

/** Something whose rows nodes claim by name, such as a queue. */
export interface ClaimTable {
  /** Frees what a node has claimed that stops regularly. */
  releaseOf(node: string, now: number): DbWork<unknown>
  /** Frees what a node had claimed whose process ended or hangs. One of the rows may have caused it: each counts as crashed. */
  releaseOfDead(node: string, now: number): DbWork<readonly CrashedRow[]>
  /** The names that claims carry. Its cost depends on their number, not on the number of claims. */
  claimants(): DbWork<readonly string[]>
}

const lockRow = statement(({ name }: { name: string }) =>
  q.selectFrom('nodes').select('renewed_at').where('name', '=', name).forUpdate().skipLocked(),
)
const removeRow = statement(({ name }: { name: string }) => q.deleteFrom('nodes').where('name', '=', name))
const removeLocks = statement(({ name }: { name: string }) => q.deleteFrom('locks').where('holder', '=', name))
const memberNamed = statement(({ name }: { name: string }) =>
  q.selectFrom('nodes').select('name').where('name', '=', name),
)

/** Frees everything that a node holds that stops regularly, and removes the node. */
export function* removeNode(name: string, tables: readonly ClaimTable[], now: number): DbWork<void> {
  for (const table of tables) yield* table.releaseOf(name, now)
  yield* run(removeLocks, { name })
  yield* run(removeRow, { name })
}

/**
 * The same for a dead node; returns the rows that it had claimed. Undefined if it has renewed its row meanwhile or another node is removing it. Its row stays
 * locked until the end of the transaction, so exactly one node does it, and a late renewal finds no row.
 */
export function* removeDeadNode(
  { name, renewedAt }: { name: string; renewedAt: number },
  tables: readonly ClaimTable[],
  now: number,
): DbWork<readonly CrashedRow[] | undefined> {
  const row = yield* first(lockRow, { name })
  if (row?.renewed_at !== renewedAt) return undefined
  const crashed: CrashedRow[] = []
  for (const table of tables) crashed.push(...(yield* table.releaseOfDead(name, now)))
  yield* run(removeLocks, { name })
  yield* run(removeRow, { name })
  return crashed
}

/** Claims and locks of nodes that are no members, written after the node was declared dead. */
interface Orphans {
  readonly claims: readonly { readonly table: ClaimTable; readonly node: string }[]
  readonly holders: readonly string[]
}

const holders = statement((_: object) => q.selectFrom('locks').select('holder').distinct().limit(1_000))

/** `self` is a member on SQLite too, where there are no rows. Names are read before members: a member joins, then claims. */
export function* findOrphans(tables: readonly ClaimTable[], self: string): DbWork<Orphans> {
  const claims: { table: ClaimTable; node: string }[] = []
  for (const table of tables) {
    for (const node of yield* table.claimants()) if (!(yield* isMember(node, self))) claims.push({ table, node })
  }
  const orphaned: string[] = []
  for (const { holder } of yield* all(holders, {})) if (!(yield* isMember(holder, self))) orphaned.push(holder)
  return { claims, holders: orphaned }
}

function* isMember(name: string, self: string): DbWork<boolean> {
  return name === self || (yield* first(memberNamed, { name })) !== undefined
}

/** Returns the rows that they had claimed. */
export function* releaseOrphans({ claims, holders: orphaned }: Orphans, now: number): DbWork<readonly CrashedRow[]> {
  const crashed: CrashedRow[] = []
  for (const { table, node } of claims) crashed.push(...(yield* table.releaseOfDead(node, now)))
  for (const name of orphaned) yield* run(removeLocks, { name })
  return crashed
}
