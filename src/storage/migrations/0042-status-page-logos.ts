import type { Migration } from './migration.ts'

/** Uploaded logos of status pages, one per page, found by their hash. The image is base64, the same on both engines. */
export const statusPageLogos: Migration = {
  id: 42,
  name: 'status page logos',
  sql: () => [
    `create table status_page_logos (
      org_id text not null,
      page_id text not null,
      hash text not null,
      type text not null,
      image text not null,
      primary key (org_id, page_id),
      foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
    )`,
    'create index status_page_logos_by_hash on status_page_logos (hash)',
  ],
}
