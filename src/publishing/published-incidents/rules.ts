import type { Fault } from '../../contract/errors.ts'
import { isObject } from '../../contract/validate.ts'

type Fields = Readonly<Record<string, unknown>>

/** Faults that a schema cannot say. */
export function publishedFaults({ statusPageIds, affectedMonitors, startedAt }: Fields): Fault[] {
  return [
    ...repeats(
      statusPageIds,
      (id) => id,
      (i) => `statusPageIds.${i}`,
    ),
    ...repeats(
      affectedMonitors,
      (entry) => (isObject(entry) ? entry.monitorId : undefined),
      (i) => `affectedMonitors.${i}.monitorId`,
    ),
    ...(typeof startedAt === 'string' ? momentFaults(startedAt) : []),
  ]
}

function repeats(list: unknown, idOf: (entry: unknown) => unknown, pathOf: (i: number) => string): Fault[] {
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

/** Moments that are none are the schema's to refuse. */
function momentFaults(text: string): Fault[] {
  const at = momentIn(text)
  return at === undefined || (at >= EARLIEST && at <= LATEST)
    ? []
    : [{ path: 'startedAt', message: 'must lie between the years 1970 and 9999' }]
}

function momentIn(text: string): number | undefined {
  try {
    return momentMs(text)
  } catch {
    return undefined
  }
}

/** The milliseconds of a moment that the schema has accepted; unlike Date's own reader, this one knows leap seconds. */
export function momentMs(text: string): number {
  return Temporal.Instant.from(text).epochMilliseconds
}
