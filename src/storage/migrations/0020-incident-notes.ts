import type { Migration } from './migration.ts'

/** Notes that members write on incidents. */
export const incidentNotes: Migration = {
  id: 20,
  name: 'incident notes',
  sql: () => [
    `create table incident_notes (
      org_id text not null,
      incident_id text not null,
      id text not null,
      author_id text not null,
      author_name text not null,
      body text not null,
      created_at bigint not null,
      edited_at bigint,
      primary key (org_id, incident_id, id),
      foreign key (org_id, incident_id) references incidents (org_id, id) on delete cascade
    )`,
  ],
}
