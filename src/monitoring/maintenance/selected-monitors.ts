import { invalid } from '../../contract/errors.ts'
import type { Selector } from '../../lib/selector.ts'
import { countSelected, selectedPage, selectMonitors } from '../../storage/labels/select.ts'
import type { DbWork } from '../../storage/query.ts'

/** The monitors of a window are rows; more are covered with `allMonitors`. */
const MAX_SELECTED = 10_000

/** The numbers of the monitors that a selector matches now. */
export function* selectedBy(orgId: string, selector: Selector): DbWork<readonly number[]> {
  const selection = yield* selectMonitors(orgId, selector)
  const total = yield* countSelected(selection)
  if (total > MAX_SELECTED) {
    const message = `matches ${total} monitors; at most ${MAX_SELECTED} are possible. Use allMonitors instead`
    throw invalid([{ path: 'selector', message }])
  }
  return yield* selectedPage(selection, { limit: MAX_SELECTED, offset: 0 })
}
