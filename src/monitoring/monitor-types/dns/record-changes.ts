import { createHash } from 'node:crypto'

/** A set of records that the name had, and when it was last seen. */
export interface SeenRecordSet {
  readonly recordsKey: string
  readonly lastSeenAt: number
}

/** The set of the last check that found records. */
export interface PreviousRecordSet {
  readonly recordsKey: string
  /** Whether that check was judged `candidate`. */
  readonly wasCandidate: boolean
}

/**
 * `same`: a known set, or the first one · `candidate`: a new set, which may be one of several that rotate · `changed`: a new
 * set seen twice in a row, which is reported. Names that rotate through their addresses raise no more changes once every
 * set was seen.
 */
export type ChangeVerdict = 'same' | 'candidate' | 'changed'

const HISTORY_MS = 24 * 60 * 60 * 1000
/** Bounds the history for names that return a different set each time; an older set may be reported again. */
const MAX_SETS = 200

/** A short hash of a normalised set of records. */
export function recordsKey(records: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(records)).digest('base64url').slice(0, 22)
}

export function judgeRecords(
  history: readonly SeenRecordSet[],
  previous: PreviousRecordSet | null,
  key: string,
  now: number,
): ChangeVerdict {
  if (previous === null) return 'same'
  // However long ago: a set that is the same after a pause has not changed.
  if (key === previous.recordsKey) return previous.wasCandidate ? 'changed' : 'same'
  return history.some((seen) => seen.recordsKey === key && now - seen.lastSeenAt <= HISTORY_MS) ? 'same' : 'candidate'
}

/** The history after a check that found this set: newest first, without entries older than a day. */
export function rememberRecords(history: readonly SeenRecordSet[], key: string, now: number): SeenRecordSet[] {
  const others = history.filter((seen) => seen.recordsKey !== key && now - seen.lastSeenAt <= HISTORY_MS)
  return [{ recordsKey: key, lastSeenAt: now }, ...others].slice(0, MAX_SETS)
}
