import type { Migration } from './migration.ts'

/**
 * Who created an invitation: it is valid only while that user may give its role. Pending invitations name no creator, so they end.
 * It is no foreign key, because the membership decides.
 */
export const invitationCreators: Migration = {
  id: 34,
  name: 'invitation creators',
  sql: () => ['delete from invitations', "alter table invitations add column created_by text not null default ''"],
}
