import { sql } from 'kysely'
import { type Database, type Engine, StorageUnusable } from './database.ts'
import { monitors } from './migrations/0001-monitors.ts'
import { checkEngine } from './migrations/0002-check-engine.ts'
import { narrowStates } from './migrations/0003-narrow-states.ts'
import { webhooks } from './migrations/0004-webhooks.ts'
import { contacts } from './migrations/0005-contacts.ts'
import { maintenance } from './migrations/0006-maintenance.ts'
import { statusPages } from './migrations/0007-status-pages.ts'
import { subscribers } from './migrations/0008-subscribers.ts'
import { accounts } from './migrations/0009-accounts.ts'
import { secondFactors } from './migrations/0010-second-factors.ts'
import { notableDays } from './migrations/0011-notable-days.ts'
import { plainNames } from './migrations/0012-plain-names.ts'
import { monitorSecrets } from './migrations/0013-monitor-secrets.ts'
import { mailLimits } from './migrations/0014-mail-limits.ts'
import { domainProofs } from './migrations/0015-domain-proofs.ts'
import { keyCreators } from './migrations/0016-key-creators.ts'
import { monitorDetails } from './migrations/0017-monitor-details.ts'
import { endpointSubscribers } from './migrations/0018-endpoint-subscribers.ts'
import { setupChecklists } from './migrations/0019-setup-checklists.ts'
import { incidentNotes } from './migrations/0020-incident-notes.ts'
import { userLanguages } from './migrations/0021-user-languages.ts'
import { auditTimes } from './migrations/0022-audit-times.ts'
import { nodes } from './migrations/0023-nodes.ts'
import { checkAssignments } from './migrations/0024-check-assignments.ts'
import { largeData } from './migrations/0026-large-data.ts'
import { checkResults } from './migrations/0027-check-results.ts'
import { contactCoverage } from './migrations/0028-contact-coverage.ts'
import { labels } from './migrations/0029-labels.ts'
import { contractRulings } from './migrations/0030-contract-rulings.ts'
import { challengeData } from './migrations/0031-challenge-data.ts'
import { monitorLinks } from './migrations/0032-monitor-links.ts'
import { listByState } from './migrations/0033-list-by-state.ts'
import { invitationCreators } from './migrations/0034-invitation-creators.ts'
import { replayLimits } from './migrations/0035-replay-limits.ts'
import { heartbeatHashes } from './migrations/0037-heartbeat-hashes.ts'
import { recentAlerts } from './migrations/0038-recent-alerts.ts'
import { failingEndpoints } from './migrations/0040-failing-endpoints.ts'
import { mutes } from './migrations/0041-mutes.ts'
import { statusPageLogos } from './migrations/0042-status-page-logos.ts'
import { organizationTimeZones } from './migrations/0043-organization-time-zones.ts'
import { resultBlocks } from './migrations/0045-result-blocks.ts'
import { monitorSettings } from './migrations/0046-monitor-settings.ts'
import { deliveries } from './migrations/0047-deliveries.ts'
import type { Migration } from './migrations/migration.ts'
import { all, type DbWork, execute, q, run, statement } from './query.ts'

export const migrations: readonly Migration[] = [
  ...[monitors, checkEngine, narrowStates, webhooks, contacts, maintenance, statusPages, subscribers, accounts],
  secondFactors,
  notableDays,
  plainNames,
  monitorSecrets,
  mailLimits,
  domainProofs,
  keyCreators,
  monitorDetails,
  endpointSubscribers,
  setupChecklists,
  incidentNotes,
  userLanguages,
  auditTimes,
  nodes,
  checkAssignments,
  largeData,
  checkResults,
  contactCoverage,
  labels,
  contractRulings,
  challengeData,
  monitorLinks,
  listByState,
  invitationCreators,
  replayLimits,
  heartbeatHashes,
  recentAlerts,
  failingEndpoints,
  mutes,
  statusPageLogos,
  organizationTimeZones,
  resultBlocks,
  monitorSettings,
  deliveries,
]

const applied = statement((_: object) => q.selectFrom('migrations').select('id').orderBy('id'))

const record = statement((row: { id: number; name: string; now: number }) =>
  q.insertInto('migrations').values({ id: row.id, name: row.name, applied_at: row.now }),
)

/**
 * Applies the missing migrations, on one node at a time, and returns them. They share one transaction, except for index
 * builds, which come between transactions.
 */
export async function migrate(database: Database, now: number, steps = migrations): Promise<readonly Migration[]> {
  const { engine } = database
  if ((await database.read(pendingMigrations(engine, steps))).length === 0) return []
  return database.changeSchema('migrate', async (session) => {
    const done: Migration[] = []
    for (;;) {
      const { applied, next } = await session.transaction(() => applyMissing(engine, now, steps))
      done.push(...applied)
      if (next?.index === undefined) return done
      await session.buildIndex(next.index)
      await session.transaction(() => run(record, { id: next.id, name: next.name, now }))
      done.push(next)
    }
  })
}

interface Progress {
  readonly applied: readonly Migration[]
  /** The index build that comes next. */
  readonly next: Migration | undefined
}

/** Applies the missing migrations up to the next index build. */
function* applyMissing(engine: Engine, now: number, steps: readonly Migration[]): DbWork<Progress> {
  yield* exec(
    'create table if not exists migrations (id integer not null primary key, name text not null, applied_at bigint not null)',
  )
  const done = new Set((yield* all(applied, {})).map((row) => row.id))
  refuseNewerSchema(done, steps)
  const missing = steps.filter((step) => !done.has(step.id))
  const indexAt = missing.findIndex((step) => step.index !== undefined)
  const ready = indexAt === -1 ? missing : missing.slice(0, indexAt)
  for (const step of ready) {
    for (const text of step.sql(engine)) yield* exec(text)
    yield* run(record, { id: step.id, name: step.name, now })
  }
  return { applied: ready, next: indexAt === -1 ? undefined : missing[indexAt] }
}

function refuseNewerSchema(done: ReadonlySet<number>, steps: readonly Migration[]): void {
  const unknown = [...done].filter((id) => !steps.some((step) => step.id === id))
  if (unknown.length === 0) return
  throw new StorageUnusable(
    `The database was upgraded by a newer version of Pharos (schema ${Math.max(...unknown)}, this version supports ${steps.at(-1)?.id}); start the newer version or restore a backup`,
  )
}

/** The migrations that `migrate` would apply: all of them if the database is empty. */
export function* pendingMigrations(engine: Engine, steps = migrations): DbWork<readonly Migration[]> {
  const [table] = yield* execute(
    engine === 'sqlite'
      ? sql<{ n: number }>`select count(*) as n from sqlite_master where name = 'migrations'`
      : sql<{
          n: number
        }>`select count(*) as n from pg_tables where schemaname = any (current_schemas(false)) and tablename = 'migrations'`,
  )
  if (table?.n === 0) return steps
  const done = new Set((yield* all(applied, {})).map((row) => row.id))
  refuseNewerSchema(done, steps)
  return steps.filter((step) => !done.has(step.id))
}

function* exec(text: string): DbWork<void> {
  yield* execute(sql.raw(text))
}
