import type { MonitorOptions, Notes } from '../../contract/check-options.ts'
import { parseStored } from '../../lib/json.ts'
import { oneLine, truncate } from '../../lib/text.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { PlainText } from './text.ts'
import type { Alert } from './types.ts'

/** Monitors whose notes, and incidents whose summary, one message has. In a larger outage they would hide the list. */
const MAX_DETAILED = 5
/** A line fits into one block of every channel. */
const MAX_LINE = 500
const MAX_SUBJECT = 120

/** The alerts with the present notes of their monitors, and those of new incidents with what had changed before them. */
export function* withDetails<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const notes = yield* notesOf(orgId, first(alerts.map(({ monitorId }) => monitorId)))
  const isNew = ({ kind }: Alert): boolean => kind === 'opened'
  const summaries = yield* summariesOf(orgId, first(alerts.filter(isNew).map(({ incidentId }) => incidentId)))
  return alerts.map((alert) => {
    const own = notes.get(alert.monitorId ?? '')
    const summary = isNew(alert) ? (summaries.get(alert.incidentId ?? '') ?? []) : []
    return { ...alert, ...(own && { notes: own }), ...(summary.length > 0 && { summary }) }
  })
}

function first(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids)].filter((id) => id !== null).slice(0, MAX_DETAILED)
}

function* notesOf(orgId: string, ids: readonly string[]): DbWork<ReadonlyMap<string, Notes | undefined>> {
  if (ids.length === 0) return new Map()
  const found = q.selectFrom('monitors').select(['id', 'options']).where('org_id', '=', orgId).where('id', 'in', ids)
  const rows = yield* execute(found.where('options', 'is not', null))
  return new Map(rows.map(({ id, options }) => [id, (parseStored(options ?? '{}') as MonitorOptions).notes]))
}

function* summariesOf(orgId: string, ids: readonly string[]): DbWork<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const found = q.selectFrom('incident_evidence').select(['incident_id', 'evidence']).where('org_id', '=', orgId)
  const rows = yield* execute(found.where('incident_id', 'in', ids))
  return new Map(
    rows.map(({ incident_id: id, evidence }) => [
      id,
      (parseStored(evidence) as { summary: readonly string[] }).summary,
    ]),
  )
}

/** One line per summary, then the notes, each monitor once. */
export function detailsText(alerts: readonly Alert[]): readonly PlainText[] {
  const noted = new Map(alerts.flatMap((alert) => (alert.notes === undefined ? [] : [[alert.monitorId, alert]])))
  const lines = [
    ...alerts.flatMap(({ subject, summary }) =>
      summary === undefined ? [] : [truncate(`${short(subject)}: ${oneLine(summary.join(' '))}`, MAX_LINE)],
    ),
    ...[...noted.values()].flatMap(({ subject, notes }) => linesOf(short(subject), notes as Notes)),
  ]
  return lines.map((plainText) => ({ plainText }))
}

function short(subject: string): string {
  return truncate(oneLine(subject), MAX_SUBJECT)
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
