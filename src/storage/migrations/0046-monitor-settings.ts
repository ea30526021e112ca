import type { Engine } from '../database.ts'
import type { Migration } from './migration.ts'

/**
 * Settings and states are stored as values; the API's JSON is rendered on read (monitoring/monitors/render.ts). The monitor
 * list has the values that it is filtered, searched and sorted by, in narrow rows (monitoring/monitors/save-list-row.ts).
 */
export const monitorSettings: Migration = {
  id: 46,
  name: 'monitor settings',
  sql: (engine) => [
    'alter table monitors drop column rendered',
    'alter table monitors add column interval_seconds bigint not null default 300',
    'alter table monitors add column expected_period_seconds bigint',
    'alter table monitors add column grace_seconds bigint not null default 60',
    "alter table monitors add column settings text not null default '{}'",
    'alter table monitor_states drop column rendered',
    ...monitorList(engine),
  ],
}

function monitorList(engine: Engine): string[] {
  const isSqlite = engine === 'sqlite'
  // In byte order on both engines. SQLite stores the rows in this order; PostgreSQL has an index for it.
  const text = isSqlite ? 'text' : 'text collate "C"'
  return [
    `drop trigger monitor_states_listed${isSqlite ? '' : ' on monitor_states'}`,
    ...(isSqlite ? [] : ['drop function list_monitor_state']),
    'drop table listed_monitors',
    `create table monitor_list (
      org_id text not null,
      num bigint not null,
      type text not null,
      state text not null,
      changed_at bigint,
      name_key ${text} not null,
      search_text ${text} not null,
      uptime double precision,
      primary key (${isSqlite ? 'org_id, name_key, num' : 'org_id, num'})
    )${isSqlite ? ' without rowid' : ' with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05)'}`,
    isSqlite
      ? 'create unique index monitor_list_by_num on monitor_list (org_id, num)'
      : 'create index monitor_list_by_name on monitor_list (org_id, name_key, num)',
    isSqlite
      ? 'create index monitor_list_by_state on monitor_list (org_id, state, name_key, num, type, changed_at)'
      : 'create index monitor_list_by_state on monitor_list (org_id, state, name_key, num) include (type, changed_at)',
    ...(isSqlite ? [sqliteTrigger] : postgresTrigger),
  ]
}

const copyState =
  'update monitor_list set state = new.state, changed_at = new.last_status_changed_at where org_id = new.org_id and num = new.num;'

const sqliteTrigger = `
  create trigger monitor_states_listed after update of state on monitor_states when old.state <> new.state
  begin
    ${copyState}
  end`

/** The condition is evaluated without calling the function: most updates do not change the state. */
const postgresTrigger = [
  `create function list_monitor_state() returns trigger language plpgsql as $$
    begin
      ${copyState}
      return null;
    end
  $$`,
  `create trigger monitor_states_listed after update of state on monitor_states
    for each row when (old.state is distinct from new.state) execute function list_monitor_state()`,
]
