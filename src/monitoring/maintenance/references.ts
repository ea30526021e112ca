import { type Fault, invalid } from '../../contract/errors.ts'
import { parseSelector } from '../../lib/selector.ts'
import type { DbWork } from '../../storage/query.ts'
import { monitorsNamed } from '../monitors/queries.ts'
import { lockStatusPages } from './lock-pages.ts'
import { selectedBy } from './selected-monitors.ts'
import type { WindowSettings } from './settings.ts'

export interface ResolvedReferences {
  /** The numbers of the listed monitors, and of those that match the selector. */
  readonly nums: readonly number[]
  /** The numbers of the covered monitors as JSON; null: all monitors. */
  readonly coveredNums: string | null
}

/**
 * Looks up and locks the monitors and pages of a window. Throws for unknown ones, together with `faults`. Pages in
 * `pagesBefore` are not checked: the window keeps the ids of deleted pages.
 */
export function* resolveReferences(
  orgId: string,
  settings: WindowSettings,
  pagesBefore: readonly string[],
  faults: readonly Fault[],
  selector: string | null = null,
): DbWork<ResolvedReferences> {
  const { monitorIds, statusPageIds, allMonitors } = settings
  const monitors = yield* monitorsNamed(orgId, monitorIds)
  const before = new Set(pagesBefore)
  const added = statusPageIds.filter((id) => !before.has(id))
  const pages = yield* lockStatusPages(orgId, [...new Set(added)])
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
  const selected = selector === null ? [] : yield* selectedBy(orgId, parseSelector(selector))
  const nums = [...new Set([...monitors.values(), ...selected])]
  return { nums, coveredNums: allMonitors ? null : JSON.stringify(nums) }
}

function missing(field: string, ids: readonly string[], exists: (id: string) => boolean, message: string): Fault[] {
  return ids.flatMap((id, i) => (exists(id) ? [] : [{ path: `${field}.${i}`, message }]))
}
