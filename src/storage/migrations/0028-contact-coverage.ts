import type { Migration } from './migration.ts'

/** Which monitors a contact covers becomes a word, with room for a selector of labels. Contacts keep what they cover. */
export const contactCoverage: Migration = {
  id: 28,
  name: 'contact coverage',
  sql: () => [
    "alter table contacts add column covers text not null default 'ALL'",
    "update contacts set covers = 'CHOSEN' where covers_all = 0",
    'alter table contacts drop column covers_all',
    'alter table contacts add column selector text',
  ],
}
