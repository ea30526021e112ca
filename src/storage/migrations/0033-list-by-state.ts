import type { Engine } from '../database.ts'
import type { Migration } from './migration.ts'

/**
 * An index of the dashboard's list in the order that is shown: counts by state and pages are read from it alone. Since when a
 * monitor is in its state is copied to the list as well, for the overview.
 */
export const listByState: Migration = {
  id: 33,
  name: 'list by state',
  sql: (engine) => [
    // The values for sorting are updated every 15 minutes, all rows of a page in one transaction. With room for the new versions no index
    // changes. Index-only scans are fast after a vacuum, which the default settings run too rarely.
    ...(engine === 'postgres'
      ? ['alter table listed_monitors set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)']
      : []),
    'alter table listed_monitors add column changed_at bigint',
    `update listed_monitors set changed_at =
      (select s.last_status_changed_at from monitor_states s where s.num = listed_monitors.num)`,
    engine === 'sqlite'
      ? 'create index listed_monitors_by_state on listed_monitors (org_id, state, name_key, num, type, changed_at)'
      : 'create index listed_monitors_by_state on listed_monitors (org_id, state, name_key, num) include (type, changed_at)',
    ...trigger(engine),
  ],
}

function trigger(engine: Engine): string[] {
  const update =
    'update listed_monitors set state = new.state, changed_at = new.last_status_changed_at where org_id = new.org_id and num = new.num;'
  if (engine === 'postgres') {
    return [
      `create or replace function list_monitor_state() returns trigger language plpgsql as $$
        begin
          ${update}
          return null;
        end
      $$`,
    ]
  }
  return [
    'drop trigger monitor_states_listed',
    `create trigger monitor_states_listed after update of state on monitor_states when old.state <> new.state
      begin
        ${update}
      end`,
  ]
}
