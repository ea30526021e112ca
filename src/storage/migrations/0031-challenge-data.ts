import type { Migration } from './migration.ts'

/** Passkey challenges are sealed tokens, so the column was always empty. */
export const challengeData: Migration = {
  id: 31,
  name: 'challenge data',
  sql: () => ['alter table challenges drop column data'],
}
