import type { Fault } from '../../contract/errors.ts'
import { parsedSelector } from '../../contract/selector.ts'
import { selectorText } from '../../lib/selector.ts'
import type { ContactTable, Coverage } from '../../storage/schema/contacts.ts'

type MonitorsCovered = Pick<ContactTable, 'covers' | 'selector'>

export interface CoverageChange {
  readonly covers?: Coverage
  readonly selector?: string | null
}

/** What a new contact covers if the request does not say. */
export const ALL_MONITORS: MonitorsCovered = { covers: 'ALL', selector: null }

/** What a contact covers after a change, with the selector in its canonical form, or the faults of the change. */
export function coverageAfter(
  before: MonitorsCovered,
  change: CoverageChange,
): { readonly value: MonitorsCovered } | { readonly faults: readonly Fault[] } {
  const covers = change.covers ?? before.covers
  if (covers !== 'LABELS') {
    if (typeof change.selector !== 'string') return { value: { covers, selector: null } }
    return { faults: [{ path: 'selector', message: 'is allowed only if covers is LABELS' }] }
  }
  const text = change.selector === undefined ? before.selector : change.selector
  if (text === null) return { faults: [{ path: 'selector', message: 'is required if covers is LABELS' }] }
  const parsed = parsedSelector(text, 'selector')
  return 'faults' in parsed ? parsed : { value: { covers, selector: selectorText(parsed.selector) } }
}
