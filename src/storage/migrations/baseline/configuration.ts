import type { Dialect } from './dialect.ts'

export const configurationTables = ({ byteText }: Dialect): readonly string[] => [
  `create table configuration_items (
    org_id text not null,
    kind text not null,
    resource_id text not null,
    source ${byteText} not null,
    key ${byteText} not null,
    secret_hash text,
    primary key (org_id, kind, resource_id)
  )`,
  'create unique index configuration_items_by_key on configuration_items (org_id, kind, source, key)',
  `create table configuration_plans (
    org_id text not null,
    id text not null,
    planned_by text not null,
    created_at bigint not null,
    primary key (org_id, id)
  )`,
  'create index configuration_plans_by_age on configuration_plans (created_at)',
  `create table imports (
    org_id text not null,
    id text not null,
    source text not null,
    summary text not null,
    created_at bigint not null,
    expires_at bigint,
    applied_at bigint,
    primary key (org_id, id)
  )`,
  'create index imports_by_expiry on imports (expires_at) where expires_at is not null',
  `create table sealed_lines (
    org_id text not null,
    text_id text not null,
    num integer not null,
    sealed text not null,
    expires_at bigint,
    primary key (org_id, text_id, num)
  )`,
  'create index sealed_lines_by_expiry on sealed_lines (expires_at) where expires_at is not null',
]
