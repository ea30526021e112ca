import { labelsOfMonitor } from '../../storage/labels/read.ts'
import type { DbWork } from '../../storage/query.ts'
import { saveLabels } from './save.ts'

/** Removes the labels of a monitor that is about to be deleted. */
export function* removeLabelsOfMonitor(orgId: string, { num }: { readonly num: number }): DbWork<void> {
  const before = yield* labelsOfMonitor(orgId, num)
  yield* saveLabels(orgId, [{ num, before, after: {} }])
}
