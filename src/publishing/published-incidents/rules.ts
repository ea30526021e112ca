import type { Fault } from '../../contract/errors.ts'
import { timestampMs } from '../../contract/patterns.ts'
import { duplicateFaults } from '../../contract/unique-items.ts'

type Fields = Readonly<Record<string, unknown>>

/** Rules that a JSON schema cannot express. */
export function publishedFaults({ statusPageIds, affectedMonitors, startedAt }: Fields): Fault[] {
  return [
    ...duplicateFaults('statusPageIds', statusPageIds, Number.POSITIVE_INFINITY),
    ...duplicateFaults('affectedMonitors', affectedMonitors, Number.POSITIVE_INFINITY, 'monitorId'),
    ...(typeof startedAt === 'string' ? timestampFaults(startedAt) : []),
  ]
}

const EARLIEST = 0
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Malformed timestamps are rejected by the schema, so they have no fault here. */
function timestampFaults(text: string): Fault[] {
  const at = timestampMs(text)
  return at === undefined || (at >= EARLIEST && at <= LATEST)
    ? []
    : [{ path: 'startedAt', message: 'must be between the years 1970 and 9999' }]
}
