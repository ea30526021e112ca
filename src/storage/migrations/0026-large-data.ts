import type { Engine } from '../database.ts'
import type { Migration } from './migration.ts'

/**
 * For large data: raw results are appended to open tables and moved into blocks (monitoring/checks/raw-results.ts); the
 * dashboard's list of monitors has narrow rows of its own (monitoring/monitors/listed.ts).
 */
export const largeData: Migration = {
  id: 26,
  name: 'large data',
  sql: (engine) => [
    ...results(engine),
    ...listedMonitors(engine),
    'create index subscriber_notices_by_age on subscriber_notices (created_at)',
    // Checks write the column with the value it has: the index changes only when a certificate is renewed.
    'create index monitor_states_expiring on monitor_states (org_id, cert_expires_at) where cert_expires_at is not null',
  ],
}

function results(engine: Engine): string[] {
  return [
    "alter table result_parts add column kind text not null default 'rows'",
    ...[0, 1, 2, 3].map(
      (i) => `create table open_results_${i} (
        num bigint not null,
        at bigint not null,
        state smallint not null,
        ms bigint,
        keep_days smallint not null
      )`,
    ),
    ...(engine === 'sqlite'
      ? ['create table open_result_moves (table_name text not null primary key, upto bigint)']
      : []),
  ]
}

function listedMonitors(engine: Engine): string[] {
  const isSqlite = engine === 'sqlite'
  // In byte order on both engines. SQLite stores the rows in this order; PostgreSQL has an index for it.
  const text = isSqlite ? 'text' : 'text collate "C"'
  return [
    `create table listed_monitors (
      org_id text not null,
      num bigint not null,
      type text not null,
      state text not null,
      name_key ${text} not null,
      search_text ${text} not null,
      uptime double precision,
      response_ms bigint,
      checked_at bigint,
      primary key (${isSqlite ? 'org_id, name_key, num' : 'org_id, num'})
    )${isSqlite ? ' without rowid' : ' with (fillfactor = 80)'}`,
    isSqlite
      ? 'create unique index listed_monitors_by_num on listed_monitors (org_id, num)'
      : 'create index listed_monitors_by_name on listed_monitors (org_id, name_key, num) include (state, type)',
    `insert into listed_monitors (org_id, num, type, state, name_key, search_text)
      select m.org_id, m.num, m.type, s.state, lower(m.name), lower(m.name)
      from monitors m join monitor_states s on s.num = m.num`,
    ...(isSqlite ? [sqliteTrigger] : postgresTrigger),
  ]
}

const sqliteTrigger = `
  create trigger monitor_states_listed after update of state on monitor_states when old.state <> new.state
  begin
    update listed_monitors set state = new.state where org_id = new.org_id and num = new.num;
  end`

/** The condition is evaluated without calling the function: most updates do not change the state. */
const postgresTrigger = [
  `create function list_monitor_state() returns trigger language plpgsql as $$
    begin
      update listed_monitors set state = new.state where org_id = new.org_id and num = new.num;
      return null;
    end
  $$`,
  `create trigger monitor_states_listed after update of state on monitor_states
    for each row when (old.state is distinct from new.state) execute function list_monitor_state()`,
]
