import type { Migration } from './migration.ts'

/** What checks found besides their results: certificate, DNS records, registration. */
export const monitorDetails: Migration = {
  id: 17,
  name: 'monitor details',
  sql: () => [
    `create table monitor_details (
      num bigint not null primary key,
      org_id text not null,
      at bigint not null,
      details text not null
    )`,
  ],
}
