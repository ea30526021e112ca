import { execute, q } from '../../../src/storage/query.ts'
import { Queue } from '../../../src/storage/queue/queue.ts'
import type { Engine } from '../../support/engines.ts'
import { migratedTestDatabase } from '../test-database.ts'

export const NOW = 1_700_000_000_000
export const LEASE_MS = 60_000

export const queue = new Queue({
  table: 'deliveries',
  key: ['id'],
  due: 'due_at',
  leaseMs: LEASE_MS,
  columns: ['attempts'],
})

/** A database with rows that are due one millisecond after the other, all before NOW. */
export async function newQueueDatabase(engine: Engine, rows: number) {
  const base = await migratedTestDatabase(engine)
  await base.database.write(function* () {
    for (let i = 0; i < rows; i += 1) {
      yield* execute(
        q.insertInto('deliveries').values({
          id: idOf(i),
          org_id: 'org',
          kind: 'NOTICE',
          medium: 'EMAIL',
          payload: '{}',
          attempts: i,
          due_at: NOW - 1_000 + i,
          claimed_by: null,
          created_at: NOW - 1_000 + i,
          expires_at: NOW,
        }),
      )
    }
  })
  return {
    ...base,
    rows: async () => base.database.read(execute(q.selectFrom('deliveries').selectAll().orderBy('id'))),
    async row(id: string) {
      const query = q.selectFrom('deliveries').selectAll().where('id', '=', id)
      return (await base.database.read(execute(query)))[0]
    },
  }
}

export function idOf(number: number): string {
  return `n${String(number).padStart(4, '0')}`
}
