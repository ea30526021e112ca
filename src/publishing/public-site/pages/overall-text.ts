import type { Translator } from '../languages/translator.ts'
import type { PageView } from '../views/page-view.ts'
import { type Shape, shapeOf } from './icons.ts'

/** The status of the whole page in one sentence; "operational" only if at least one monitor has a known status. */
export function overallText({ overall, counts, active }: PageView, t: Translator): string {
  if (counts.total - counts.PAUSED - counts.PENDING === 0) {
    return t.text(active.length > 0 ? 'activeIncidents' : 'overall_unknown')
  }
  return t.text(overall === 'OPERATIONAL' && active.length > 0 ? 'overall_open' : `overall_${overall}`)
}

/** The icon of the whole page. */
export function overallShape({ overall, counts, active }: PageView): Shape {
  if (overall !== 'OPERATIONAL') return shapeOf[overall]
  if (active.length > 0) return 'degraded'
  return counts.OPERATIONAL > 0 ? 'up' : 'none'
}
