import type { Fault } from '../../contract/errors.ts'
import { timestampMs } from '../../contract/patterns.ts'
import { isObject } from '../../contract/validate.ts'

type Fields = Readonly<Record<string, unknown>>

/** Rules that a JSON schema cannot express. */
export function publishedFaults({ statusPageIds, affectedMonitors, startedAt }: Fields): Fault[] {
  return [
    ...duplicateFaults(
      statusPageIds,
      (id) => id,
      (i) => `statusPageIds.${i}`,
    ),
    ...duplicateFaults(
      affectedMonitors,
      (entry) => (isObject(entry) ? entry.monitorId : undefined),
      (i) => `affectedMonitors.${i}.monitorId`,
    ),
    ...(typeof startedAt === 'string' ? timestampFaults(startedAt) : []),
  ]
}

function duplicateFaults(list: unknown, idOf: (entry: unknown) => unknown, pathOf: (i: number) => string): Fault[] {
  if (!Array.isArray(list)) return []
  const seen = new Set<unknown>()
  return list.flatMap((entry: unknown, i): Fault[] => {
    const id = idOf(entry)
    if (typeof id !== 'string' || !seen.has(id)) {
      seen.add(id)
      return []
    }
    return [{ path: pathOf(i), message: 'is named already' }]
  })
}

const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Malformed timestamps are rejected by the schema, so they have no fault here. */
function timestampFaults(text: string): Fault[] {
  const at = timestampMs(text)
  return at === undefined || (at >= EARLIEST && at <= LATEST)
    ? []
    : [{ path: 'startedAt', message: 'must lie between the years 1970 and 9999' }]
}
