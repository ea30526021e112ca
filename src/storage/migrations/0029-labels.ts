import type { Engine } from '../database.ts'
import type { Migration } from './migration.ts'

/**
 * Labels of monitors, and selectors in maintenance windows and sections of status pages. No foreign keys to monitors: without an
 * index by `num`, each deletion of a monitor would scan the tables.
 */
export const labels: Migration = {
  id: 29,
  name: 'labels',
  sql: (engine) => [...labelTables(engine), ...windowSelectors, ...pageSelectors],
}

function labelTables(engine: Engine): string[] {
  const isSqlite = engine === 'sqlite'
  // In byte order on both engines.
  const text = isSqlite ? 'text' : 'text collate "C"'
  const withoutRowid = isSqlite ? ' without rowid' : ''
  return [
    `create table monitor_labels (
      org_id text not null,
      num bigint not null,
      key ${text} not null,
      value ${text} not null,
      primary key (org_id, num, key)
    )${withoutRowid}`,
    'create unique index monitor_labels_by_value on monitor_labels (org_id, key, value, num)',
    `create table label_keys (
      org_id text not null,
      key ${text} not null,
      monitors bigint not null,
      primary key (org_id, key)
    )${withoutRowid}`,
    `create table label_values (
      org_id text not null,
      key ${text} not null,
      value ${text} not null,
      monitors bigint not null,
      primary key (org_id, key, value)
    )${withoutRowid}`,
  ]
}

const windowSelectors = [
  'alter table maintenance_windows add column selector text',
  'create index maintenance_windows_by_selector on maintenance_windows (org_id) where selector is not null',
]

const pageSelectors = [
  `create table status_page_selectors (
    org_id text not null,
    page_id text not null,
    section text not null,
    selector text not null,
    primary key (org_id, page_id, section),
    foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
  )`,
  `create table status_page_selected (
    org_id text not null,
    page_id text not null,
    section text not null,
    num bigint not null,
    primary key (org_id, page_id, section, num),
    foreign key (org_id, page_id) references status_pages (org_id, id) on delete cascade
  )`,
  'create index status_page_selected_of_monitor on status_page_selected (org_id, num)',
]
