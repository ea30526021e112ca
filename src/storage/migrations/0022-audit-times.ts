import type { Migration } from './migration.ts'

/** Finds the audit entries of a range of time. Ids do not: after a clock was set back they are ahead of it. */
export const auditTimes: Migration = {
  id: 22,
  name: 'audit times',
  sql: () => ['create index audit_entries_of_org_by_time on audit_entries (org_id, at, id)'],
}
