import { type DbWork, execute } from '../../storage/query.ts'
import { uptimeRatios } from '../uptime/compute.ts'
import { inOrder, type Scope } from './match.ts'
import type { ListOrder } from './order.ts'

/** Longer lists are sorted by the stored uptime, which is up to an hour old: reading all days would take too long. */
export const EXACT_UP_TO = 1_000

interface Page {
  readonly offset: number
  readonly limit: number
}

/** The numbers of the monitors of a page, in order; `total` is how many there are on all pages. */
export function* numsOfPage(
  scope: Scope,
  total: number,
  order: ListOrder,
  { offset, limit }: Page,
  now: number,
): DbWork<readonly number[]> {
  if (offset >= total) return []
  if (order.sort === 'uptime' && total <= EXACT_UP_TO) {
    return (yield* numsByUptime(scope, order, now)).slice(offset, offset + limit)
  }
  const rows = yield* execute(inOrder(scope, order).limit(limit).offset(offset))
  return rows.map(({ num }) => num)
}

/** All monitors by group and the uptime that is shown. */
function* numsByUptime(scope: Scope, { order }: ListOrder, now: number): DbWork<number[]> {
  const rows = yield* execute(inOrder(scope, { sort: 'name', order: 'asc' }))
  const uptimes = yield* uptimeRatios(
    rows.map(({ num }) => num),
    '30d',
    now,
  )
  const direction = order === 'desc' ? -1 : 1
  // Sorting is stable: equal ones stay in order of name.
  const compare = (a: number, b: number) => {
    const [one, other] = [uptimes.get(a) ?? null, uptimes.get(b) ?? null]
    if (one === null || other === null) return (one === null ? 1 : 0) - (other === null ? 1 : 0)
    return direction * (one - other)
  }
  const groups = Map.groupBy(rows, ({ group }) => group)
  return [...groups.values()].flatMap((members) => members.map(({ num }) => num).sort(compare))
}
