import type { Dialect } from './dialect.ts'

export const monitorTables = ({
  byteText,
  clustered,
  identity,
  onPostgres,
  onSqlite,
  rowKey,
}: Dialect): readonly string[] => [
  `create table monitors (
    num ${identity},
    org_id text not null references organizations (id),
    id text not null,
    seq bigint not null,
    name text not null,
    name_key ${byteText} not null,
    target_key ${byteText},
    type text not null,
    heartbeat_token text,
    created_at bigint not null,
    updated_at bigint not null,
    secrets text,
    heartbeat_hash text,
    legacy_hash text,
    interval_seconds bigint not null,
    expected_period_seconds bigint,
    grace_seconds bigint not null,
    settings text not null,
    options text
  )`,
  'create unique index monitors_by_heartbeat on monitors (heartbeat_hash) where heartbeat_hash is not null',
  'create unique index monitors_by_legacy_address on monitors (legacy_hash) where legacy_hash is not null',
  'create unique index monitors_by_id on monitors (org_id, id)',
  'create unique index monitors_in_order on monitors (org_id, seq)',
  `create table monitor_mutes (
    monitor_num ${rowKey} not null primary key references monitors (num) on delete cascade,
    org_id text not null,
    until bigint not null,
    muted_at bigint not null,
    muted_by text not null
  )`,
  'create index monitor_mutes_of_org on monitor_mutes (org_id, until)',
  `create table monitor_states (
    num ${rowKey} not null primary key,
    org_id text not null,
    state text not null,
    revision bigint not null,
    next_check_at bigint,
    last_checked_at bigint,
    last_status_changed_at bigint,
    last_response_ms bigint,
    cert_expires_at bigint,
    open_incident text,
    claimed_by text,
    uptime double precision,
    memory text not null,
    edition bigint not null
  )`,
  'create index monitor_states_by_state on monitor_states (org_id, state, num)',
  'create index monitor_states_expiring on monitor_states (org_id, cert_expires_at) where cert_expires_at is not null',
  ...onSqlite(
    'create index monitor_states_claimed on monitor_states (claimed_by) where claimed_by is not null',
    'create index monitor_states_due on monitor_states (next_check_at) where next_check_at is not null',
  ),
  ...onPostgres(
    'create index monitor_states_of_node on monitor_states (claimed_by, num) where claimed_by is not null',
    "create index monitor_states_unassigned on monitor_states (num) where claimed_by is null and state <> 'PAUSED'",
    // No index has a column that every check changes, so the row is updated in place (HOT) if its page has room: half of it, because
    // neighbours are checked together.
    'alter table monitor_states set (fillfactor = 50, toast_tuple_target = 768)',
    'alter table monitor_states alter column memory set storage main',
  ),
  `create table incidents (
    org_id text not null,
    id text not null,
    seq bigint not null,
    num bigint not null,
    started_at bigint not null,
    resolved_at bigint,
    cause text not null,
    cause_code text not null,
    acknowledged_at bigint,
    acknowledged_by text,
    failed_checks bigint not null,
    first_failure text not null,
    last_failure text not null,
    timeline text not null,
    paused_ms bigint not null default 0,
    primary key (org_id, id)
  )`,
  'create unique index incidents_in_order on incidents (org_id, seq)',
  'create index incidents_of_monitor on incidents (org_id, num, seq)',
  'create unique index incidents_open on incidents (org_id, num) where resolved_at is null',
  `create table incident_notes (
    org_id text not null,
    incident_id text not null,
    id text not null,
    author_id text not null,
    author_name text not null,
    body text not null,
    created_at bigint not null,
    edited_at bigint,
    primary key (org_id, incident_id, id),
    foreign key (org_id, incident_id) references incidents (org_id, id) on delete cascade
  )`,
  ...['rollup_hours', 'rollup_days'].map(
    (table) => `create table ${table} (
    org_id text not null,
    num bigint not null,
    start_at bigint not null,
    up_ms bigint not null,
    degraded_ms bigint not null,
    down_ms bigint not null,
    paused_ms bigint not null,
    maintenance_ms bigint not null,
    checks bigint not null,
    failures bigint not null,
    responses text not null,
    imported text,
    primary key (num, start_at)
  )${clustered}`,
  ),
  'create index rollup_days_notable on rollup_days (num, start_at, up_ms, degraded_ms, down_ms, paused_ms, maintenance_ms) where up_ms <> 86400000 or degraded_ms > 0',
  ...onSqlite('create index rollup_days_known on rollup_days (num, start_at)'),
  `create table result_blocks (
    num bigint not null,
    first_at bigint not null,
    expires_at bigint not null,
    up bigint not null,
    degraded bigint not null,
    down bigint not null,
    inconclusive bigint not null,
    results text not null,
    primary key (num, first_at)
  )${clustered}`,
  'create index result_blocks_by_expiry on result_blocks (expires_at)',
  `create table check_reasons (
    num bigint not null,
    at bigint not null,
    code text,
    error text,
    evidence text,
    repaired bigint not null default 0,
    expires_at bigint not null,
    primary key (num, at)
  )${clustered}`,
  'create index check_reasons_by_expiry on check_reasons (expires_at)',
  'create index check_reasons_repaired on check_reasons (num, at) where repaired = 1',
  `create table result_tombstones (
    num bigint not null primary key
  )`,
  `create table heartbeats (
    id ${identity},
    org_id text not null,
    num bigint not null,
    at bigint not null,
    signal text not null,
    exit_code bigint,
    rid text,
    duration_ms bigint,
    body text
  )`,
  'create index heartbeats_of_monitor on heartbeats (num, id)',
  `create table monitor_evidence (
    num bigint not null primary key,
    org_id text not null,
    evidence text not null
  )`,
  `create table incident_evidence (
    org_id text not null,
    incident_id text not null,
    evidence text not null,
    primary key (org_id, incident_id),
    foreign key (org_id, incident_id) references incidents (org_id, id) on delete cascade
  )`,
  `create table monitor_details (
    num bigint not null primary key,
    org_id text not null,
    at bigint not null,
    details text not null
  )`,
]
