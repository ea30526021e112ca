import type { Migration } from './migration.ts'

/** Status pages, their slugs and domains, and published incidents. */
export const statusPages: Migration = {
  id: 7,
  name: 'status pages',
  sql: (engine) => {
    const num = engine === 'sqlite' ? 'num integer' : 'num bigint'
    return [
      `create table status_pages (
        org_id text not null references organizations (id),
        id text not null,
        seq bigint not null,
        name text not null,
        folded_name text not null,
        slug text not null,
        custom_domain text,
        published integer not null,
        visibility text not null,
        password_hash text,
        settings text not null,
        sections text not null,
        created_at bigint not null,
        updated_at bigint not null,
        primary key (org_id, id)
      )`,
      'create unique index status_pages_in_order on status_pages (org_id, seq)',
      // Separate tables, because slugs and domains are unique across organizations (see schema.ts on `org_id`).
      'create table status_page_slugs (slug text not null primary key, org_id text not null, page_id text not null)',
      'create table status_page_domains (domain text not null primary key, org_id text not null, page_id text not null)',
      `create table status_page_monitors (
        org_id text not null,
        page_id text not null,
        ${num} not null references monitors (num),
        primary key (org_id, page_id, num),
        foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
      )`,
      'create index status_page_monitors_of_monitor on status_page_monitors (org_id, num)',
      `create table published_incidents (
        org_id text not null references organizations (id),
        id text not null,
        seq bigint not null,
        title text not null,
        status text not null,
        impact text not null,
        affected text not null,
        incident_id text,
        started_at bigint not null,
        resolved_at bigint,
        postmortem text,
        update_count bigint not null,
        created_at bigint not null,
        updated_at bigint not null,
        primary key (org_id, id)
      )`,
      'create unique index published_incidents_in_order on published_incidents (org_id, seq)',
      'create index published_incidents_by_start on published_incidents (org_id, started_at)',
      'create index published_incidents_active on published_incidents (org_id) where resolved_at is null',
      `create index published_incidents_of_incident on published_incidents (org_id, incident_id)
        where incident_id is not null`,
      `create table published_incident_updates (
        org_id text not null,
        published_id text not null,
        number bigint not null,
        id text not null,
        status text not null,
        message text not null,
        affected text not null,
        published_at bigint not null,
        created_at bigint not null,
        primary key (org_id, published_id, number),
        foreign key (org_id, published_id) references published_incidents (org_id, id) on delete cascade
      )`,
      `create table published_incident_pages (
        org_id text not null,
        published_id text not null,
        page_id text not null,
        place bigint not null,
        primary key (org_id, published_id, page_id),
        foreign key (org_id, published_id) references published_incidents (org_id, id) on delete cascade,
        foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
      )`,
      'create index published_incident_pages_of_page on published_incident_pages (org_id, page_id)',
      `create table published_incident_monitors (
        org_id text not null,
        published_id text not null,
        ${num} not null references monitors (num),
        status text not null,
        primary key (org_id, published_id, num),
        foreign key (org_id, published_id) references published_incidents (org_id, id) on delete cascade
      )`,
      'create index published_incident_monitors_of_monitor on published_incident_monitors (org_id, num)',
    ]
  },
}
