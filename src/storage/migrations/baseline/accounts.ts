export const accountTables: readonly string[] = [
  `create table users (
    id text not null primary key,
    email text not null,
    email_key text not null unique,
    name text not null,
    password_hash text,
    email_verified_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    language text
  )`,
  `create table sessions (
    id text not null primary key,
    user_id text not null references users (id) on delete cascade,
    hash text not null unique,
    address text not null,
    user_agent text,
    created_at bigint not null,
    last_seen_at bigint not null,
    expires_at bigint not null
  )`,
  'create index sessions_by_end on sessions (expires_at)',
  'create index sessions_by_use on sessions (last_seen_at)',
  'create index sessions_of_user on sessions (user_id, id)',
  `create table members (
    org_id text not null references organizations (id),
    user_id text not null references users (id) on delete cascade,
    role text not null,
    joined_at bigint not null,
    primary key (org_id, user_id)
  )`,
  'create index members_of_user on members (user_id, org_id)',
  `create table invitations (
    org_id text not null references organizations (id),
    id text not null,
    hash text not null unique,
    email text,
    role text not null,
    mailed bigint not null,
    invited_by text not null,
    created_at bigint not null,
    expires_at bigint not null,
    created_by text not null,
    primary key (org_id, id)
  )`,
  'create index invitations_by_end on invitations (expires_at)',
  `create table account_tokens (
    hash text not null primary key,
    purpose text not null,
    user_id text references users (id) on delete cascade,
    data text,
    created_at bigint not null,
    expires_at bigint
  )`,
  'create index account_tokens_by_end on account_tokens (expires_at) where expires_at is not null',
  'create index account_tokens_of_user on account_tokens (user_id, purpose)',
  `create table sign_in_limits (
    subject text not null primary key,
    failures bigint not null,
    last_at bigint not null,
    blocked_until bigint not null
  )`,
  'create index sign_in_limits_by_use on sign_in_limits (last_at)',
  `create table sign_in_networks (
    user_id text not null references users (id) on delete cascade,
    address text not null,
    last_at bigint not null,
    primary key (user_id, address)
  )`,
  'create index sign_in_networks_by_time on sign_in_networks (last_at)',
  `create table mail_windows (
    subject text not null primary key,
    ends_at bigint not null,
    used bigint not null
  )`,
  'create index mail_windows_by_end on mail_windows (ends_at)',
  `create table audit_entries (
    org_id text not null references organizations (id),
    id text not null,
    at bigint not null,
    actor_type text not null,
    actor_id text,
    actor_name text not null,
    action text not null,
    target text,
    target_name text,
    fields text not null,
    request_id text,
    primary key (org_id, id)
  )`,
  'create index audit_entries_by_time on audit_entries (at)',
  'create index audit_entries_of_org_by_time on audit_entries (org_id, at, id)',
]
