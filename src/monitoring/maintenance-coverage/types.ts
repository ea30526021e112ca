/** From one moment up to another, which is no part of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** One time that a window takes place. */
export interface Occurrence {
  readonly startsAt: number
  readonly endsAt: number
}

export const recurrences = ['NONE', 'DAILY', 'WEEKLY', 'MONTHLY'] as const
export type Recurrence = (typeof recurrences)[number]

export const maintenanceStates = ['SCHEDULED', 'IN_PROGRESS', 'COMPLETED'] as const
export type MaintenanceStatus = (typeof maintenanceStates)[number]

/** When a window takes place. */
export interface Timing {
  readonly startsAt: number
  readonly endsAt: number
  /** An IANA name; what recurs follows its wall clock. */
  readonly timezone: string
  readonly recurrence: Recurrence
  /** Every so many days, weeks or months, counted from those of the start. */
  readonly recurrenceInterval: number
  /** WEEKLY: 1 is Monday. Empty: the day of the start. */
  readonly daysOfWeek: readonly number[]
  /** MONTHLY: -1 is the last day. Empty: the day of the start. */
  readonly daysOfMonth: readonly number[]
  /** Nothing begins after it. */
  readonly recurrenceEndsAt: number | null
}
