import { execute, q } from '../../../src/storage/query.ts'
import type { RollupTable } from '../../../src/storage/schema/monitors.ts'
import type { TestServer } from '../../support/server.ts'

const emptyRollup = {
  up_ms: 0,
  degraded_ms: 0,
  down_ms: 0,
  paused_ms: 0,
  maintenance_ms: 0,
  checks: 0,
  failures: 0,
  responses: '{}',
}

const storeIn =
  (table: 'rollup_hours' | 'rollup_days') =>
  ({ running }: TestServer, id: string, startAt: number, what: Partial<RollupTable>): Promise<void> =>
    running.database.write(function* () {
      const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
      if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
      yield* execute(q.insertInto(table).values({ ...emptyRollup, ...monitor, start_at: startAt, ...what }))
    })

/** Inserts an hourly or a daily roll-up of a monitor. */
export const storeHour = storeIn('rollup_hours')
export const storeDay = storeIn('rollup_days')
