import type { Flapping } from '../flapping.ts'
import type { Alert } from '../types.ts'
import type { Entry } from './group-alerts.ts'

/** An alert that is not sent yet. */
export interface PendingAlert extends Alert {
  readonly num: number
  readonly dueAt: number
  /** Attempts that failed. */
  readonly attempts: number
}

export interface AlertContext {
  readonly now: number
  /** The monitors that flap. */
  readonly flapping: readonly Flapping[]
}

/** Postpones alerts (`dueAt`) or leaves them out. */
export type AlertStep = (alerts: readonly PendingAlert[], context: AlertContext) => readonly PendingAlert[]

export interface EntryContext {
  readonly flapping: readonly Flapping[]
  /** Outages that recent messages reported and that have not ended. */
  readonly ongoing: readonly Alert[]
}

/** Merges, adds or leaves out lines. */
export type EntryStep = (entries: readonly Entry[], context: EntryContext) => readonly Entry[]
