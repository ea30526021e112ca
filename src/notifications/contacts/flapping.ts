import { MINUTE_MS } from '../../lib/clock.ts'
import type { AlertKind } from './types.ts'

/** How often a monitor went down and was degraded lately, by the alerts of one contact. */
export interface Flapping {
  readonly monitorId: string
  readonly outages: number
  readonly degradations: number
  /** When the first of these problems began, and when they were counted. */
  readonly since: number
  readonly until: number
  /** When the contact got the last message about the monitor; null if none of these alerts was sent. */
  readonly lastMessageAt: number | null
}

/** A monitor flaps if it has this many outages, or degradations, within this time. */
export const FLAPPING_MS = 20 * MINUTE_MS
export const FLAPPING_COUNT = 3

/** The kinds of alerts that a flapping monitor repeats. */
export const flappingKinds: readonly AlertKind[] = ['opened', 'resolved', 'degraded', 'recovered']
