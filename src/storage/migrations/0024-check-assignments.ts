import type { Migration } from './migration.ts'

/**
 * On PostgreSQL, monitors are assigned to nodes, and no index contains a column that every check changes. So the state row is
 * updated in place (HOT), if its page has room: half of it, because neighbours are checked together. The log of recent
 * results, which most checks do not change, is stored outside the row.
 */
export const checkAssignments: Migration = {
  id: 24,
  name: 'check assignments',
  sql: (engine) =>
    engine === 'sqlite'
      ? []
      : [
          // Until now the due time of a claimed row was the end of its lease.
          `update monitor_states set next_check_at = (extract(epoch from now()) * 1000)::bigint, claimed_by = null
            where claimed_by is not null`,
          'drop index monitor_states_due',
          'drop index monitor_states_claimed',
          'create index monitor_states_of_node on monitor_states (claimed_by, num) where claimed_by is not null',
          `create index monitor_states_unassigned on monitor_states (num) where claimed_by is null and state <> 'PAUSED'`,
          'alter table monitor_states set (fillfactor = 50, toast_tuple_target = 768)',
          'alter table monitor_states alter column recent_results set storage external',
          'alter table monitor_states alter column memory set storage main',
          'alter table monitor_states alter column rendered set storage main',
        ],
}
