import type { Migration } from './migration.ts'

/** One table of messages to send: account mails, confirmations and notices of subscribers. */
export const deliveries: Migration = {
  id: 47,
  name: 'deliveries',
  sql: () => [
    'drop table subscriber_retries',
    'drop table subscriber_notices',
    'drop index subscribers_to_ask',
    'drop index subscribers_claimed',
    'alter table subscribers drop column confirm_due_at',
    'alter table subscribers drop column confirm_attempts',
    'alter table subscribers drop column claimed_by',
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
    'create index deliveries_due on deliveries (due_at)',
    'create index deliveries_claimed on deliveries (claimed_by) where claimed_by is not null',
    'create index deliveries_expiring on deliveries (expires_at)',
  ],
}
