import type { PageView } from '../views/page-view.ts'
import { type Shape, shapeOf } from './icons.ts'

/**
 * The headline of a page, the same in page, badge and JSON summary. "Operational" only if at least one monitor has a known
 * status and no incident is ongoing.
 */
export function overallText({ page: { t }, overall, counts, active }: PageView): string {
  const isKnown = counts.total - counts.PAUSED - counts.PENDING > 0
  if (active.length > 0 && (!isKnown || overall === 'OPERATIONAL')) return t.counted('overall_open', active.length)
  return t.text(isKnown ? `overall_${overall}` : 'overall_unknown')
}

/** The icon of the whole page. */
export function overallShape({ overall, counts, active }: PageView): Shape {
  if (overall !== 'OPERATIONAL') return shapeOf[overall]
  if (active.length > 0) return 'degraded'
  return counts.OPERATIONAL > 0 ? 'up' : 'none'
}
