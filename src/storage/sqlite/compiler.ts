import { type SelectModifierNode, SqliteQueryCompiler } from 'kysely'

const rowLocks = new Set(['ForUpdate', 'ForNoKeyUpdate', 'ForKeyShare', 'ForShare', 'SkipLocked', 'NoWait'])

/** Omits the row locks that PostgreSQL needs: SQLite has one writer at a time. */
export class PortableSqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== undefined && rowLocks.has(node.modifier)) return
    super.visitSelectModifier(node)
  }
}
