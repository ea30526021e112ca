import type { Dialect } from './dialect.ts'

export const organizationTables = ({ onPostgres }: Dialect): readonly string[] => [
  `create table organizations (
    id text not null primary key,
    slug text not null unique,
    name text not null,
    plan text not null,
    subscription text not null,
    created_at bigint not null,
    timezone text not null
  )`,
  `create table api_keys (
    id text not null primary key,
    org_id text not null references organizations (id),
    name text not null,
    hash text not null unique,
    hint text not null,
    access text not null,
    expires_at bigint,
    disabled_at bigint,
    revoked_at bigint,
    last_used_at bigint,
    created_at bigint not null,
    created_by text,
    last_used_address text
  )`,
  'create index api_keys_of_org on api_keys (org_id, id)',
  `create table idempotency_records (
    org_id text not null,
    key text not null,
    fingerprint text not null,
    status integer not null,
    answer text not null,
    expires_at bigint not null,
    bytes bigint not null,
    primary key (org_id, key)
  )`,
  'create index idempotency_records_by_expiry on idempotency_records (expires_at)',
  'create index idempotency_records_of_org on idempotency_records (org_id, expires_at, bytes)',
  // Unlogged: counts of the last minute may be lost in a crash, and must not cost a flush per request.
  ...onPostgres(`create unlogged table rate_windows (
    subject text not null primary key,
    started_at bigint not null,
    used bigint not null
  ) with (fillfactor = 50)`),
  `create table list_totals (
    org_id text not null,
    kind text not null,
    live bigint not null,
    issued bigint not null,
    primary key (org_id, kind)
  )`,
  `create table dismissed_checklists (
    org_id text not null primary key,
    dismissed_at bigint not null
  )`,
]
