/** What a failed check observed, as an incident stores it. */
export interface Failure {
  readonly at: number
  readonly statusCode: number | null
  readonly responseMs: number | null
  readonly error: string
  readonly ip: string | null
  readonly excerpt: string | null
}

type TimelineType = 'OPENED' | 'ACKNOWLEDGED' | 'RESOLVED'

export interface TimelineEntry {
  readonly at: number
  readonly type: TimelineType
  readonly message: string
}
