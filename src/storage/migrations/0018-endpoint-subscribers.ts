import type { Migration } from './migration.ts'

/** Subscribers of status pages that are webhooks or Slack channels. Existing subscribers and notices are e-mails. */
export const endpointSubscribers: Migration = {
  id: 18,
  name: 'endpoint subscribers',
  sql: () => [
    `alter table subscribers add column kind text not null default 'EMAIL'`,
    'alter table subscribers add column sealed_url text',
    'alter table subscribers add column label text',
    'alter table subscribers add column failing_since bigint',
    `alter table subscriber_notices add column kind text not null default 'EMAIL'`,
    'create index subscribers_by_kind on subscribers (org_id, page_id, kind, state, num)',
    'create index subscribers_by_page on subscribers (org_id, page_id, num)',
  ],
}
