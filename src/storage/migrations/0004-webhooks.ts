import type { Migration } from './migration.ts'

/** Events, webhook endpoints, deliveries and attempts. */
export const webhooks: Migration = {
  id: 4,
  name: 'webhooks',
  sql: () => [
    `create table events (
      org_id text not null,
      id text not null,
      type text not null,
      created_at bigint not null,
      body text not null,
      primary key (org_id, id)
    )`,
    'create index events_by_age on events (created_at)',
    `create table webhook_endpoints (
      org_id text not null references organizations (id),
      id text not null,
      seq bigint not null,
      url text not null,
      description text,
      event_types text not null,
      enabled integer not null,
      disabled_reason text,
      secret text not null,
      previous_secret text,
      previous_secret_expires_at bigint,
      last_delivery_at bigint,
      failing_since bigint,
      due_at bigint,
      claimed_by text,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, id)
    )`,
    'create unique index webhook_endpoints_in_order on webhook_endpoints (org_id, seq)',
    'create index webhook_endpoints_due on webhook_endpoints (due_at) where due_at is not null',
    'create index webhook_endpoints_claimed on webhook_endpoints (claimed_by) where claimed_by is not null',
    `create table webhook_deliveries (
      org_id text not null,
      id text not null,
      seq bigint not null,
      endpoint_id text not null,
      event_id text not null,
      event_type text not null,
      status text not null,
      attempt_count bigint not null,
      next_attempt_at bigint,
      manual integer not null default 0,
      last_response_status bigint,
      created_at bigint not null,
      completed_at bigint,
      primary key (org_id, id)
    )`,
    'create unique index webhook_deliveries_in_order on webhook_deliveries (org_id, seq)',
    'create index webhook_deliveries_of_endpoint on webhook_deliveries (org_id, endpoint_id, seq)',
    `create index webhook_deliveries_due on webhook_deliveries (org_id, endpoint_id, next_attempt_at, seq)
      where next_attempt_at is not null`,
    'create index webhook_deliveries_manual on webhook_deliveries (org_id, endpoint_id, seq) where manual = 1',
    'create index webhook_deliveries_by_age on webhook_deliveries (created_at)',
    `create table webhook_remains (
      org_id text not null,
      endpoint_id text not null,
      primary key (org_id, endpoint_id)
    )`,
    `create table webhook_attempts (
      org_id text not null,
      delivery_id text not null,
      number bigint not null,
      id text not null,
      trigger_kind text not null,
      started_at bigint not null,
      duration_ms bigint not null,
      outcome text not null,
      response_status bigint,
      response_body text,
      error text,
      primary key (org_id, delivery_id, number)
    )`,
  ],
}
