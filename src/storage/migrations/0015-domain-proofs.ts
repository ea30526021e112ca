import type { Migration } from './migration.ts'

/** Proofs of custom domains: the token of each page, and what is known about each claim. Existing claims are due for a check. */
export const domainProofs: Migration = {
  id: 15,
  name: 'domain proofs',
  sql: (engine) => [
    'alter table status_pages add column domain_token text',
    `update status_pages set domain_token = ${
      engine === 'sqlite' ? 'lower(hex(randomblob(16)))' : "replace(gen_random_uuid()::text, '-', '')"
    }`,
    ...['verified_at', 'checked_at', 'failing_since', 'expires_at', 'next_check_at'].map(
      (column) => `alter table status_page_domains add column ${column} bigint`,
    ),
    ...['found', 'check_error', 'claimed_by'].map(
      (column) => `alter table status_page_domains add column ${column} text`,
    ),
    'update status_page_domains set next_check_at = 0',
    'create index status_page_domains_due on status_page_domains (next_check_at) where next_check_at is not null',
    `create table status_page_lost_domains (
      org_id text not null,
      page_id text not null,
      domain text not null,
      reason text not null,
      lost_at bigint not null,
      primary key (org_id, page_id),
      foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
    )`,
    'create index status_page_lost_domains_by_age on status_page_lost_domains (lost_at)',
  ],
}
