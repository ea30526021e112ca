import { labelsOf } from '../../storage/labels/read.ts'
import type { DbWork } from '../../storage/query.ts'
import { saveLabels } from './save.ts'

/** Removes the labels of monitors that are about to be deleted. Labels are locked. */
export function* removeLabelsOfMonitors(orgId: string, monitors: readonly { readonly num: number }[]): DbWork<void> {
  const nums = monitors.map(({ num }) => num)
  const labels = yield* labelsOf(orgId, nums)
  yield* saveLabels(
    orgId,
    nums.map((num) => ({ num, before: labels(num), after: {} })),
  )
}
