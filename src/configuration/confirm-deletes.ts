import { invalid } from '../contract/errors.ts'

/** A part of the monitors so large that a missing file is a likely reason. */
const CONFIRMED_SHARE = 1 / 5

/** Whether a plan that deletes so many of the monitors of its source needs their number again when it is applied. */
export function needsConfirmation(count: number, managedMonitors: number): boolean {
  return count > managedMonitors * CONFIRMED_SHARE
}

export function requireConfirmation(count: number, managedMonitors: number, confirmed: number | undefined): void {
  if (confirmed === undefined ? !needsConfirmation(count, managedMonitors) : confirmed === count) return
  const message = `must be ${count}: the plan deletes ${count} of ${managedMonitors} monitors of this source`
  throw invalid([{ path: 'confirmDeletes', message }])
}

/** How many monitors the changes delete. */
export function deletedMonitors(
  changes: readonly { readonly change: { readonly action: string; readonly kind: string } }[],
): number {
  return changes.filter(({ change }) => change.action === 'DELETE' && change.kind === 'monitors').length
}
