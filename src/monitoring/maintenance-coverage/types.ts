/** From `from` up to, but not including, `to`. */
export interface Span {
  readonly from: number
  readonly to: number
}

export interface Occurrence {
  readonly startsAt: number
  readonly endsAt: number
}

export const recurrences = ['NONE', 'DAILY', 'WEEKLY', 'MONTHLY'] as const
type Recurrence = (typeof recurrences)[number]

export const maintenanceStatuses = ['SCHEDULED', 'IN_PROGRESS', 'COMPLETED'] as const
export type MaintenanceStatus = (typeof maintenanceStatuses)[number]

export interface WindowTiming {
  readonly startsAt: number
  readonly endsAt: number
  /** An IANA name; recurrences follow its wall clock. */
  readonly timezone: string
  readonly recurrence: Recurrence
  /** Every so many days, weeks or months, counted from the first. */
  readonly recurrenceInterval: number
  /** WEEKLY: 1 is Monday. Empty: the day of the start. */
  readonly daysOfWeek: readonly number[]
  /** MONTHLY: -1 is the last day. Empty: the day of the start. */
  readonly daysOfMonth: readonly number[]
  /** No occurrence starts after it. */
  readonly recurrenceEndsAt: number | null
}
