import type { MonitorOptions, Notes } from '../../contract/check-options.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Alert } from './types.ts'

/** Monitors whose notes one message has. In a larger outage they would hide the list. */
const MAX_MONITORS = 5
/** A line of notes fits into one block of every channel. */
const MAX_LINE = 500
const MAX_SUBJECT = 120

/** The alerts with the present notes of their monitors. */
export function* withNotes<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const ids = [...new Set(alerts.map(({ monitorId }) => monitorId))].filter((id) => id !== null).slice(0, MAX_MONITORS)
  if (ids.length === 0) return alerts
  const found = q.selectFrom('monitors').select(['id', 'options']).where('org_id', '=', orgId).where('id', 'in', ids)
  const rows = yield* execute(found.where('options', 'is not', null))
  const notes = new Map(rows.map(({ id, options }) => [id, (JSON.parse(options ?? '{}') as MonitorOptions).notes]))
  return alerts.map((alert) => {
    const own = alert.monitorId === null ? undefined : notes.get(alert.monitorId)
    return own === undefined ? alert : { ...alert, notes: own }
  })
}

/** The notes of the monitors of these alerts, each monitor once. Not escaped. */
export function notesText(alerts: readonly Alert[]): readonly string[] {
  const noted = new Map(alerts.flatMap((alert) => (alert.notes === undefined ? [] : [[alert.monitorId, alert]])))
  return [...noted.values()].flatMap(({ subject, notes }) =>
    linesOf(truncate(oneLine(subject), MAX_SUBJECT), notes as Notes),
  )
}

function linesOf(subject: string, { runbookUrl, text }: Notes): string[] {
  const lines = (text ?? '').split('\n').map(oneLine).filter(Boolean)
  return [
    ...(runbookUrl === undefined ? [] : [`Runbook for ${subject}: ${oneLine(runbookUrl)}`]),
    ...(lines.length === 0 ? [] : [`Notes on ${subject}:`, ...lines.flatMap(wrapped)]),
  ]
}

function wrapped(line: string): string[] {
  return line.match(new RegExp(`.{1,${MAX_LINE}}`, 'gu')) ?? []
}
