import { http } from '../../../lib/http.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'

/** Such as "HTTP 500 Internal Server Error (expected 2xx or 3xx)". */
export function unexpectedStatus(status: number, statuses: readonly number[]): Reason {
  const name = http.STATUS_CODES[status]
  const expected = describeStatuses(statuses, status)
  return name === undefined
    ? reason('http_status', { status, expected })
    : reason('http_status_named', { status, name, expected })
}

/** From this number of statuses on, a class is named as a whole. */
const MIN_FOR_CLASS = 4

/**
 * Such as "200" and "204", or "2xx" for most of a class. Statuses of the received status' own class are listed one by one, three
 * or more in a row as a range: "200–206", "301" and "302".
 */
export function describeStatuses(expected: readonly number[], received: number): readonly string[] {
  const classes = Map.groupBy(new Set(expected.toSorted((a, b) => a - b)), classOf)
  return [...classes].flatMap(([statusClass, statuses]) =>
    statuses.length >= MIN_FOR_CLASS && statusClass !== classOf(received) ? [`${statusClass}xx`] : rangesOf(statuses),
  )
}

function classOf(status: number): number {
  return Math.floor(status / 100)
}

function rangesOf(sorted: readonly number[]): string[] {
  const parts: string[] = []
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end += 1
    if (end - i >= 2) parts.push(`${sorted[i]}–${sorted[end]}`)
    else parts.push(...sorted.slice(i, end + 1).map(String))
    i = end + 1
  }
  return parts
}
