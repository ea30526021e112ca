import type { Dialect } from './dialect.ts'

export const labelTables = ({ byteText, clustered }: Dialect): readonly string[] => [
  `create table monitor_labels (
    org_id text not null,
    num bigint not null,
    key ${byteText} not null,
    value ${byteText} not null,
    primary key (org_id, num, key)
  )${clustered}`,
  'create unique index monitor_labels_by_value on monitor_labels (org_id, key, value, num)',
  `create table label_keys (
    org_id text not null,
    key ${byteText} not null,
    monitors bigint not null,
    primary key (org_id, key)
  )${clustered}`,
  `create table label_values (
    org_id text not null,
    key ${byteText} not null,
    value ${byteText} not null,
    monitors bigint not null,
    primary key (org_id, key, value)
  )${clustered}`,
]
