import type { Migration } from './migration.ts'

/** Maintenance windows, what they cover, and the checks due when they end. */
export const maintenance: Migration = {
  id: 6,
  name: 'maintenance',
  sql: (engine) => {
    const num = engine === 'sqlite' ? 'num integer' : 'num bigint'
    return [
      `create table maintenance_windows (
        org_id text not null references organizations (id),
        id text not null,
        seq bigint not null,
        name text not null,
        description text,
        starts_at bigint not null,
        ends_at bigint not null,
        timezone text not null,
        recurrence text not null,
        recurrence_interval bigint not null,
        days_of_week text not null,
        days_of_month text not null,
        recurrence_ends_at bigint,
        monitor_ids text not null,
        all_monitors integer not null,
        status_page_ids text not null,
        status text not null,
        next_transition_at bigint,
        coverage_id text,
        created_at bigint not null,
        updated_at bigint not null,
        primary key (org_id, id)
      )`,
      'create unique index maintenance_windows_in_order on maintenance_windows (org_id, seq)',
      `create index maintenance_windows_due on maintenance_windows (next_transition_at)
        where next_transition_at is not null`,
      `create index maintenance_windows_to_come on maintenance_windows (org_id, next_transition_at)
        where next_transition_at is not null`,
      'create index maintenance_windows_by_end on maintenance_windows (org_id, ends_at)',
      `create table maintenance_monitors (
        org_id text not null,
        window_id text not null,
        ${num} not null references monitors (num),
        primary key (org_id, window_id, num),
        foreign key (org_id, window_id) references maintenance_windows (org_id, id) on delete cascade
      )`,
      'create index maintenance_monitors_of_monitor on maintenance_monitors (org_id, num)',
      `create table maintenance_pages (
        org_id text not null,
        window_id text not null,
        page_id text not null,
        primary key (org_id, window_id, page_id),
        foreign key (org_id, window_id) references maintenance_windows (org_id, id) on delete cascade
      )`,
      'create index maintenance_pages_of_page on maintenance_pages (org_id, page_id)',
      `create table maintenance_coverage (
        org_id text not null,
        id text not null,
        from_at bigint not null,
        until_at bigint not null,
        nums text,
        timing text not null,
        primary key (org_id, id)
      )`,
      'create index maintenance_coverage_by_end on maintenance_coverage (org_id, until_at)',
      'create index maintenance_coverage_by_age on maintenance_coverage (until_at)',
      `create table maintenance_rechecks (
        org_id text not null,
        id text not null,
        nums text,
        after_seq bigint not null,
        primary key (org_id, id)
      )`,
    ]
  },
}
