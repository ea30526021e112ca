import type { Migration } from './migration.ts'

/**
 * Budgets of e-mails, e-mail contacts that wait for a confirmation, and the networks that users have signed in from.
 * Contacts that exist already count as confirmed.
 */
export const mailLimits: Migration = {
  id: 14,
  name: 'mail limits',
  sql: (engine) => [
    'alter table subscriber_rate_windows rename to mail_windows',
    'alter table contacts add column address_key text',
    'alter table contacts add column confirmed bigint not null default 1',
    'alter table contacts add column confirmation_sent_at bigint',
    `update contacts set address_key = lower(${
      engine === 'sqlite' ? "json_extract(settings, '$.address')" : "settings::json ->> 'address'"
    }) where channel = 'EMAIL'`,
    'create index contacts_by_address on contacts (org_id, address_key) where address_key is not null',
    `create table sign_in_networks (
      user_id text not null references users (id) on delete cascade,
      address text not null,
      last_at bigint not null,
      primary key (user_id, address)
    )`,
    'create index sign_in_networks_by_time on sign_in_networks (last_at)',
    `insert into sign_in_networks (user_id, address, last_at)
      select user_id, address, max(last_seen_at) from sessions group by user_id, address`,
  ],
}
