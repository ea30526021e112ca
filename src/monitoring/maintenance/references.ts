import { type Fault, invalid } from '../../contract/errors.ts'
import { pagesNamed } from '../../publishing/status-pages/queries.ts'
import type { Work } from '../../storage/query.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import type { WindowSettings } from './settings.ts'

/** The monitors that a window names, by their numbers, and those that it covers. */
export interface Named {
  readonly nums: readonly number[]
  /** As JSON; null: all that there are. */
  readonly covered: string | null
}

/**
 * Finds what a window names; what is not there is refused together with the other faults. Pages that it named before may
 * be gone, and may stay named.
 */
export function* named(
  orgId: string,
  settings: WindowSettings,
  namedBefore: readonly string[],
  faults: readonly Fault[],
): Work<Named> {
  const { monitorIds, statusPageIds, allMonitors } = settings
  const monitors = yield* monitorsNamed(orgId, monitorIds)
  const before = new Set(namedBefore)
  const unseen = statusPageIds.filter((id) => !before.has(id))
  const pages = yield* pagesNamed(orgId, [...new Set(unseen)])
  const unknown = [
    ...missing('monitorIds', monitorIds, (id) => monitors.has(id), 'is no monitor of this organization'),
    ...missing(
      'statusPageIds',
      statusPageIds,
      (id) => before.has(id) || pages.has(id),
      'is no page of this organization',
    ),
  ]
  if (faults.length + unknown.length > 0) throw invalid([...faults, ...unknown])
  const nums = [...monitors.values()]
  return { nums, covered: allMonitors ? null : JSON.stringify(nums) }
}

function missing(field: string, ids: readonly string[], isThere: (id: string) => boolean, message: string): Fault[] {
  return ids.flatMap((id, i) => (isThere(id) ? [] : [{ path: `${field}.${i}`, message }]))
}
