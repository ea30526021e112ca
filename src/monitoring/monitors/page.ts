import { sql } from 'kysely'
import type { Static } from 'typebox'
import type { Installation } from '../../contract/operation.ts'
import type { Json } from '../../lib/json.ts'
import type { Selector } from '../../lib/selector.ts'
import type { Caller } from '../../storage/database.ts'
import { countSelected, selectedPage, selectMonitors } from '../../storage/labels/select.ts'
import { totalOf } from '../../storage/list-index.ts'
import { cacheable, type DbWork, derived, execute, inOneSnapshot, q } from '../../storage/query.ts'
import { monitorsWithStates } from './queries.ts'
import { isSameForAll, type MonitorRow, monitorColumns, pageJson, renderFor } from './render.ts'
import type { MonitorPage } from './schema.ts'

interface Page {
  orgId: string
  offset: number
  limit: number
}

/** The total in every row, so that it is of the same moment as the page; an empty page has one row without a monitor. */
const pageQuery = (orgId: string, monitors: MonitorsInOrder) =>
  q
    .selectFrom(q.selectNoFrom(totalOf(orgId, 'monitor').as('total')).as('t'))
    .leftJoin(monitors.as('p'), (on) => on.onTrue())
    .select('t.total')
    .selectAll('p')
    .orderBy('p.seq')

type MonitorsInOrder = ReturnType<typeof monitorsInOrder>

const monitorsInOrder = (orgId: string) =>
  monitorsWithStates()
    .select(['m.seq', ...monitorColumns])
    .where('m.org_id', '=', orgId)
    .orderBy('m.seq')

/** Skips in the index, before the states are joined. */
const fromOffset = cacheable(({ orgId, offset, limit }: Page) => {
  const start = q
    .selectFrom('monitors')
    .select('seq')
    .where('org_id', '=', orgId)
    .orderBy('seq')
    .limit(1)
    .offset(offset)
  return pageQuery(orgId, monitorsInOrder(orgId).where('m.seq', '>=', start).limit(limit))
})

const firstPages = new Map<number, typeof fromOffset>()

/**
 * The first page is read most. Its limit is part of the statement, of which there is one for each of the 100 limits: with a
 * parameter, PostgreSQL would plan the statement again each time, which takes longer than running it.
 */
function statementFor({ offset, limit }: Pick<Page, 'offset' | 'limit'>): typeof fromOffset {
  if (offset > 0) return fromOffset
  let found = firstPages.get(limit)
  if (found === undefined) {
    found = cacheable(({ orgId }: Page) => pageQuery(orgId, monitorsInOrder(orgId).limit(sql.lit(limit))))
    firstPages.set(limit, found)
  }
  return found
}

/** A page of monitors in order of creation. */
export function* pageOfMonitors(
  caller: Caller,
  range: { readonly limit: number; readonly offset: number },
  installation: Installation,
): DbWork<Json<Static<typeof MonitorPage>>> {
  const page = yield* derived(statementFor(range), { orgId: caller.orgId, ...range }, (rows) => {
    const monitors = rows.filter(({ id }) => id !== null) as readonly MonitorRow[]
    const pagination = { ...range, total: rows[0]?.total ?? 0 }
    const json = monitors.every(isSameForAll) ? pageFor(caller, monitors, pagination, installation) : undefined
    return { monitors, pagination, json }
  })
  return page.json ?? pageFor(caller, page.monitors, page.pagination, installation)
}

function pageFor(
  caller: Caller,
  rows: readonly MonitorRow[],
  pagination: Static<typeof MonitorPage>['pagination'],
  installation: Installation,
): Json<Static<typeof MonitorPage>> {
  return pageJson(
    rows.map((row) => JSON.stringify(renderFor(caller, row, installation))),
    pagination,
  )
}

/** A page of the monitors that a selector matches, in order of creation. */
export function* pageOfSelected(
  caller: Caller,
  selector: Selector,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  installation: Installation,
): DbWork<Json<Static<typeof MonitorPage>>> {
  yield* inOneSnapshot()
  const { orgId } = caller
  const selection = yield* selectMonitors(orgId, selector)
  const total = yield* countSelected(selection)
  const nums = yield* selectedPage(selection, { limit, offset })
  const rows = nums.length === 0 ? [] : yield* execute(monitorsNumbered(orgId, nums))
  return pageFor(caller, rows, { limit, offset, total }, installation)
}

const monitorsNumbered = (orgId: string, nums: readonly number[]) =>
  monitorsWithStates().select(monitorColumns).where('m.org_id', '=', orgId).where('m.num', 'in', nums).orderBy('m.num')
