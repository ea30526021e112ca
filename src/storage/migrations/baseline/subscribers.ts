import type { Dialect } from './dialect.ts'

export const subscriberTables = ({ identity }: Dialect): readonly string[] => [
  `create table subscribers (
    num ${identity},
    org_id text not null references organizations (id),
    id text not null,
    page_id text not null,
    address text not null,
    state text not null,
    rejections bigint not null,
    last_error text,
    confirm_by bigint,
    created_at bigint not null,
    confirmed_at bigint,
    kind text not null default 'EMAIL',
    sealed_url text,
    label text,
    failing_since bigint
  )`,
  'create unique index subscribers_by_id on subscribers (org_id, id)',
  'create index subscribers_by_kind on subscribers (org_id, page_id, kind, state, num)',
  'create index subscribers_by_page on subscribers (org_id, page_id, num)',
  'create unique index subscribers_once on subscribers (org_id, page_id, address)',
  "create index subscribers_pending on subscribers (address) where state = 'PENDING'",
  "create index subscribers_to_notify on subscribers (org_id, page_id, num) where state = 'CONFIRMED'",
  'create index subscribers_unconfirmed on subscribers (confirm_by) where confirm_by is not null',
  `create table subscriber_tombstones (
    org_id text not null,
    page_id text not null,
    primary key (org_id, page_id)
  )`,
]
