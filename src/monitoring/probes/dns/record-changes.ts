import { createHash } from 'node:crypto'

/** A set of records that a monitor's name had, and when it was last seen. */
export interface SeenRecordSet {
  readonly recordsKey: string
  readonly lastSeenAt: number
}

/** The set of the last check that found records. */
export interface PreviousRecordSet {
  readonly recordsKey: string
  /** What that check was judged to be a `candidate`. */
  readonly wasCandidate: boolean
}

/**
 * `same`: known, or the first set ever · `candidate`: new, may be one answer of many · `changed`: new, and seen twice in
 * a row, which is worth telling. Names that rotate through their addresses come to rest once each set was seen.
 */
export type ChangeVerdict = 'same' | 'candidate' | 'changed'

const MEMORY_MS = 24 * 60 * 60 * 1000
/** Some names never give the same set twice; what is older than so many sets may be told once more. */
const MAX_SETS = 200

/** A short name for a normalised set of records. */
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
  // However long ago that was: what stayed the same over a pause has not changed.
  if (key === previous.recordsKey) return previous.wasCandidate ? 'changed' : 'same'
  return history.some((seen) => seen.recordsKey === key && now - seen.lastSeenAt <= MEMORY_MS) ? 'same' : 'candidate'
}

/** The history after a check that found this set: without what is too old to matter, the newest first. */
export function rememberRecords(history: readonly SeenRecordSet[], key: string, now: number): SeenRecordSet[] {
  const others = history.filter((seen) => seen.recordsKey !== key && now - seen.lastSeenAt <= MEMORY_MS)
  return [{ recordsKey: key, lastSeenAt: now }, ...others].slice(0, MAX_SETS)
}
