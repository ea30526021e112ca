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

/** Inserts an hourly roll-up. */
export async function storeHour(
  { running }: TestServer,
  id: string,
  startAt: number,
  what: Partial<RollupTable>,
): Promise<void> {
  await running.database.write(function* () {
    const [monitor] = yield* execute(q.selectFrom('monitors').select(['num', 'org_id']).where('id', '=', id))
    if (monitor === undefined) throw new Error(`There is no monitor ${id}`)
    yield* execute(q.insertInto('rollup_hours').values({ ...emptyRollup, ...monitor, start_at: startAt, ...what }))
  })
}
