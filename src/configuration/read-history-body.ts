import type { Fault } from '../contract/errors.ts'
import { documentReader } from '../contract/json-body.ts'
import { isObject } from '../lib/json.ts'
import { outline, withoutContent } from './without-content.ts'

/** About 120,000 hours and days of seven numbers. The command line sends 20,000 at once. */
const BOUNDS = { keys: 10_000, items: 1_000_000, depth: 8, noun: 'body' }
const MAX_PERIODS = { hours: 9 * 24, days: 10 * 366 } as const
const MAX_MONITORS = 1000
/** About 50 KB of JSON. */
const PERIODS_PER_PIECE = 500

type HistoryUnit = keyof typeof MAX_PERIODS

/** Consecutive hours or days of one monitor, as JSON. */
export interface HistoryPiece {
  readonly monitor: number
  readonly unit: HistoryUnit
  /** The position of the first one in its list. */
  readonly from: number
  readonly json: string
}

/** The histories of a body in pieces that are small enough to be parsed one by one on the main thread. */
export interface SplitHistories {
  /** The monitors without their hours and days. */
  readonly monitors: readonly unknown[]
  readonly pieces: readonly HistoryPiece[]
}

export const historyLimits = { monitors: MAX_MONITORS, ...MAX_PERIODS }

export const readHistoryBody = documentReader('readHistoryBody', BOUNDS, (body) => {
  if (!isObject(body)) return { value: withoutContent(body) }
  if (body.monitors === undefined) return { value: outline(body) }
  if (!Array.isArray(body.monitors)) return { faults: [{ path: 'monitors', message: 'must be an array' }] }
  if (body.monitors.length > MAX_MONITORS) {
    return { faults: [{ path: 'monitors', message: `must have at most ${MAX_MONITORS} items` }] }
  }
  const faults: Fault[] = []
  const pieces: HistoryPiece[] = []
  const monitors = body.monitors.map((given: unknown, monitor) => {
    if (!isObject(given)) return withoutContent(given)
    const rest = outline(given)
    for (const unit of ['hours', 'days'] as const) {
      const periods = given[unit]
      if (!Array.isArray(periods)) continue
      if (periods.length > MAX_PERIODS[unit]) {
        faults.push({ path: `monitors.${monitor}.${unit}`, message: `must have at most ${MAX_PERIODS[unit]} items` })
      }
      for (let from = 0; from < periods.length; from += PERIODS_PER_PIECE) {
        const json = JSON.stringify(periods.slice(from, from + PERIODS_PER_PIECE))
        pieces.push({ monitor, unit, from, json })
      }
    }
    return rest
  })
  return faults.length > 0 ? { faults } : { value: { ...outline(body), monitors: { monitors, pieces } } }
})
