export const deliveryTables: readonly string[] = [
  `create table deliveries (
    id text not null primary key,
    org_id text,
    kind text not null,
    medium text not null,
    target_id text,
    payload text not null,
    after_num bigint not null default 0,
    attempts bigint not null default 0,
    due_at bigint not null,
    claimed_by text,
    expires_at bigint not null,
    created_at bigint not null
  )`,
  'create index deliveries_claimed on deliveries (claimed_by) where claimed_by is not null',
  'create index deliveries_due on deliveries (due_at)',
  'create index deliveries_expiring on deliveries (expires_at)',
]
