import { type Fault, invalid } from '../../contract/errors.ts'
import type { Selector } from '../../lib/selector.ts'
import { countSelected, selectedPage, selectMonitors } from '../../storage/labels/select.ts'
import type { DbWork } from '../../storage/query.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import { lockStatusPages } from './lock-pages.ts'
import type { WindowSettings } from './settings.ts'

/**
 * Locks the monitors and pages that a window lists, and returns the numbers of the monitors. Throws for unknown ones, together
 * with `faults`. Pages in `pagesBefore` are not checked: the window keeps the ids of deleted pages.
 */
export function* resolveReferences(
  orgId: string,
  settings: WindowSettings,
  pagesBefore: readonly string[],
  faults: readonly Fault[],
): DbWork<readonly number[]> {
  const { monitorIds, statusPageIds } = settings
  const monitors = yield* monitorsNamed(orgId, monitorIds)
  const before = new Set(pagesBefore)
  const added = statusPageIds.filter((id) => !before.has(id))
  const pages = yield* lockStatusPages(orgId, [...new Set(added)])
  const unknown = [
    ...missing('monitorIds', monitorIds, (id) => monitors.has(id), 'is not a monitor of this organization'),
    ...missing(
      'statusPageIds',
      statusPageIds,
      (id) => before.has(id) || pages.has(id),
      'is not a status page of this organization',
    ),
  ]
  if (faults.length + unknown.length > 0) throw invalid([...faults, ...unknown])
  return [...monitors.values()]
}

function missing(field: string, ids: readonly string[], exists: (id: string) => boolean, message: string): Fault[] {
  return ids.flatMap((id, i) => (exists(id) ? [] : [{ path: `${field}.${i}`, message }]))
}

/** The monitors of a window are rows; more are covered with `allMonitors`. */
const MAX_SELECTED = 10_000

/** The listed monitors and those that the selector matches now, by number. */
export function* withSelected(
  orgId: string,
  listed: readonly number[],
  selector: Selector | null,
): DbWork<ReadonlySet<number>> {
  if (selector === null) return new Set(listed)
  const selection = yield* selectMonitors(orgId, selector)
  const total = yield* countSelected(selection)
  if (total > MAX_SELECTED) {
    const message = `matches ${total} monitors; at most ${MAX_SELECTED} are possible. Use allMonitors instead`
    throw invalid([{ path: 'selector', message }])
  }
  return new Set([...listed, ...(yield* selectedPage(selection, { limit: MAX_SELECTED, offset: 0 }))])
}
