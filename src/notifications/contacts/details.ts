import type { MonitorOptions } from '../../contract/check-options.ts'
import type { CertificateDetails, DomainDetails } from '../../contract/probe.ts'
import { parseStored } from '../../lib/json.ts'
import type { Reason } from '../../reasons/reason.ts'
import { reasonIn } from '../../reasons/stored.ts'
import { type DbWork, execute, q } from '../../storage/query.ts'
import type { Alert, FoundFacts } from './types.ts'

/** Monitors whose notes, and incidents whose summary, one message has. In a larger outage they would hide the list. */
export const MAX_DETAILED = 5

/**
 * Alerts of problems with the present notes of their monitors, those of new incidents with what had changed before them, and those of
 * expiries with whom to ask.
 */
export function* withDetails<T extends Alert>(orgId: string, alerts: readonly T[]): DbWork<readonly T[]> {
  const monitors = yield* monitorsOf(orgId, first(alerts.filter(isProblem).map(({ monitorId }) => monitorId)))
  const isNew = ({ kind }: Alert): boolean => kind === 'opened'
  const summaries = yield* summariesOf(orgId, first(alerts.filter(isNew).map(({ incidentId }) => incidentId)))
  return alerts.map((alert) => {
    const monitor = isProblem(alert) ? monitors.get(alert.monitorId ?? '') : undefined
    const summary = isNew(alert) ? (summaries.get(alert.incidentId ?? '') ?? []) : []
    const expiry = isExpiry(alert) ? monitor?.expiry : undefined
    return {
      ...alert,
      ...(monitor?.notes && { notes: monitor.notes }),
      ...(summary.length > 0 && { summary }),
      ...(expiry && { found: { ...alert.found, ...expiry } }),
    }
  })
}

/** Somebody may have to do something. */
function isProblem({ kind, endedAt }: Alert): boolean {
  if (kind === 'opened' || kind === 'degraded') return endedAt === null
  return kind === 'dns_changed' || isExpiry({ kind })
}

function isExpiry({ kind }: Pick<Alert, 'kind'>): boolean {
  return kind === 'certificate_expiring' || kind === 'domain_expiring'
}

function first(ids: readonly (string | null)[]): readonly string[] {
  return [...new Set(ids)].filter((id) => id !== null).slice(0, MAX_DETAILED)
}

function* monitorsOf(orgId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, never>()
  const found = q
    .selectFrom('monitors as m')
    .leftJoin('monitor_details as d', 'd.num', 'm.num')
    .select(['m.id', 'm.options', 'd.details'])
    .where('m.org_id', '=', orgId)
    .where('m.id', 'in', ids)
  return new Map(
    (yield* execute(found)).map(({ id, options, details }) => [
      id,
      {
        notes: (parseStored(options ?? '{}') as MonitorOptions).notes,
        expiry: details === null ? undefined : expiryIn(parseStored(details)),
      },
    ]),
  )
}

function expiryIn(stored: CertificateDetails | DomainDetails | { readonly kind: 'dns' }): FoundFacts | undefined {
  if (stored.kind === 'certificate') {
    const { issuer, names, nameCount } = stored
    return { certificate: { issuer, names, nameCount } }
  }
  return stored.kind === 'domain' && stored.registrar !== null ? { registrar: stored.registrar } : undefined
}

function* summariesOf(orgId: string, ids: readonly string[]): DbWork<ReadonlyMap<string, readonly Reason[]>> {
  if (ids.length === 0) return new Map()
  const found = q.selectFrom('incident_evidence').select(['incident_id', 'evidence']).where('org_id', '=', orgId)
  const rows = yield* execute(found.where('incident_id', 'in', ids))
  return new Map(
    rows.map(({ incident_id: id, evidence }) => [
      id,
      (parseStored(evidence) as { summary: readonly (Reason | string)[] }).summary.map(reasonIn),
    ]),
  )
}
