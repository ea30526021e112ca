import { setImmediate } from 'node:timers/promises'
import type { Read } from '../../contract/operation.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import { csvLine } from '../../lib/csv.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import type { Configured } from '../../notifications/contacts/delivers.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import { findMonitors, type MonitorFilters } from '../monitor-list/find.ts'
import { targetText } from '../monitor-settings/rules.ts'
import { settingsColumns, settingsIn } from '../monitor-settings/stored.ts'
import { definitions } from '../monitor-types/definitions.ts'
import { sumTimes, timesInLast } from '../uptime/compute.ts'

/** Rows that are read and sent at once, so that memory does not grow with their number. */
const ROWS_AT_ONCE = 400

const stateWords = { UP: 'Up', DEGRADED: 'Degraded', DOWN: 'Down', PAUSED: 'Paused', PENDING: 'Pending' } as const

const columns = [
  'Name',
  'Type',
  'Target',
  'Status',
  'In maintenance',
  'Uptime, 30 days (%)',
  'Not monitored, 30 days (min)',
  'Last response (ms)',
  'Last checked (UTC)',
] as const

/** The byte order mark makes Excel read the file as UTF-8. */
const HEADER = `\uFEFF${csvLine(columns)}`

/** The filtered list as CSV, in parts. Filters with unknown values throw before the first part. */
export async function exportMonitors(
  read: Read,
  orgId: string,
  filters: MonitorFilters,
  now: number,
  configured: Configured,
): Promise<AsyncIterable<string>> {
  const found = await read(findMonitors(orgId, filters, now, configured))
  const nums = await read(found.page(0, found.total))
  return parts(read, orgId, nums, found.isInMaintenance, now)
}

async function* parts(
  read: Read,
  orgId: string,
  nums: readonly number[],
  isInMaintenance: (num: number) => boolean,
  now: number,
): AsyncGenerator<string> {
  yield HEADER
  for (let at = 0; at < nums.length; at += ROWS_AT_ONCE) {
    // The event loop is free between two reads of SQLite.
    await setImmediate()
    yield await read(linesOf(orgId, nums.slice(at, at + ROWS_AT_ONCE), isInMaintenance, now))
  }
}

function* linesOf(
  orgId: string,
  nums: readonly number[],
  isInMaintenance: (num: number) => boolean,
  now: number,
): DbWork<string> {
  const rows = yield* execute(
    q
      .selectFrom('monitors as m')
      .innerJoin('monitor_states as s', 's.num', 'm.num')
      .select(['m.num', ...settingsColumns, 's.state', 's.last_checked_at', 's.last_response_ms'])
      .where('m.org_id', '=', orgId)
      .where('m.num', 'in', nums),
  )
  const byNum = new Map(rows.map((row) => [row.num, row]))
  const times = yield* timesInLast(nums, '30d', now)
  return nums
    .map((num) => {
      const row = byNum.get(num)
      // Deleted since the list was read.
      if (row === undefined) return ''
      const settings = settingsIn(row)
      const { uptime, unknownMs } = sumTimes([times.get(num)])
      return csvLine([
        settings.name,
        definitions[settings.type]?.label ?? settings.type,
        targetText(settings),
        stateWords[row.state],
        isInMaintenance(num) ? 'Yes' : 'No',
        percentage(uptime),
        Math.round(unknownMs / MINUTE_MS),
        row.last_response_ms,
        row.last_checked_at === null ? null : spreadsheetTime(row.last_checked_at),
      ])
    })
    .join('')
}

/** Rounded down to two decimals, as the dashboard shows it. */
function percentage(uptime: number | null): number | null {
  return uptime === null ? null : Math.floor(uptime * 10_000) / 100
}

/** "2026-11-16 09:12:55": spreadsheets read it as a time. */
function spreadsheetTime(ms: number): string {
  return isoTimestamp(ms).slice(0, 19).replace('T', ' ')
}
