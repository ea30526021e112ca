import type { Static } from 'typebox'
import { parseStored } from '../lib/json.ts'
import { isoTimestamp } from '../lib/timestamp.ts'
import type { ShadowRunTable } from '../storage/schema/shadow-runs.ts'
import type { Report } from './report.ts'
import type { Unmatched } from './save-poll.ts'
import type { ShadowRun } from './schema.ts'
import type { Tool } from './verdicts.ts'

export function renderRun(row: ShadowRunTable, { agreement, disagreements }: Report): Static<typeof ShadowRun> {
  const { there, here } = parseStored(row.unmatched) as Unmatched
  const counts: Record<string, number> = {}
  for (const { reason } of disagreements) counts[reason] = (counts[reason] ?? 0) + 1
  return {
    id: row.id,
    tool: row.tool as Tool,
    url: row.url,
    startedAt: isoTimestamp(row.started_at),
    endsAt: isoTimestamp(row.ends_at),
    endedAt: timeOrNull(row.ended_at),
    contactsEnabledAt: timeOrNull(row.contacts_enabled_at),
    lastPollAt: timeOrNull(row.last_poll_at),
    lastError: row.last_error,
    matched: row.matched,
    unmatchedThere: there,
    unmatchedHere: here,
    agreement,
    counts,
  }
}

export function timeOrNull(at: number | null): string | null {
  return at === null ? null : isoTimestamp(at)
}
