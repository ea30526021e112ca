/** The objects of UptimeRobot in one form, whichever version of its API the answers are of. */

export interface RobotMonitor {
  readonly id: string
  readonly name: string
  /** As version 3 names it. */
  readonly type: string
  readonly url: string
  readonly port: number | undefined
  readonly intervalSeconds: number
  readonly timeoutSeconds: number | undefined
  readonly graceSeconds: number | undefined
  readonly isPaused: boolean
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly auth: { readonly type: string; readonly username: string; readonly password: string }
  readonly body: RobotBody | undefined
  /** Codes and classes such as `2xx`; empty: 2xx and 3xx. */
  readonly statuses: readonly string[]
  /** Codes that are up or down besides the usual ones. */
  readonly statusChanges: Readonly<Record<string, boolean>>
  readonly verifySsl: boolean
  readonly followRedirects: boolean
  readonly keyword: string
  readonly keywordMatch: 'EXISTS' | 'NOT_EXISTS'
  readonly isKeywordCaseSensitive: boolean
  readonly degradedThresholdMs: number
  readonly certificateDays: readonly number[]
  readonly remindsOfDomain: boolean
  readonly region: string
  readonly config: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly groupId: string
  readonly contacts: readonly RobotAttachment[]
  readonly windowIds: readonly string[]
}

export type RobotBody = { readonly type: 'RAW'; readonly text: string; readonly contentType: string } | RobotForm

interface RobotForm {
  readonly type: 'FORM'
  readonly values: Readonly<Record<string, string>>
}

/** A contact of a monitor, with the delay and the repetition of its alerts. */
interface RobotAttachment {
  readonly id: string
  readonly thresholdMinutes: number
  readonly recurrenceMinutes: number
}

export interface RobotContact {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly value: string
  readonly isActive: boolean
}

export interface RobotWindow {
  readonly id: string
  readonly name: string
  readonly isPaused: boolean
  readonly recurrence: 'NONE' | 'DAILY' | 'WEEKLY' | 'MONTHLY' | undefined
  readonly start: { readonly date: string | undefined; readonly time: string } | { readonly atSeconds: number }
  readonly durationMinutes: number
  readonly days: readonly number[]
  /** Besides those that name the window themselves. */
  readonly monitorIds: readonly string[]
  readonly isForAll: boolean
}

export interface RobotPage {
  readonly id: string
  readonly name: string
  readonly isPublished: boolean
  readonly domain: string
  /** Undefined: all monitors. */
  readonly monitorIds: readonly string[] | undefined
  readonly hasPassword: boolean
  readonly settings: Readonly<Record<string, unknown>>
}
