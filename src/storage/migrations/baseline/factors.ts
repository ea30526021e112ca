export const factorTables: readonly string[] = [
  `create table totp_secrets (
    user_id text not null primary key references users (id) on delete cascade,
    secret text not null,
    created_at bigint not null,
    confirmed_at bigint,
    last_step bigint not null
  )`,
  `create table recovery_codes (
    user_id text not null references users (id) on delete cascade,
    position bigint not null,
    code_hash text not null,
    primary key (user_id, position)
  )`,
  `create table passkeys (
    id text not null primary key,
    user_id text not null references users (id) on delete cascade,
    credential_id text not null unique,
    public_key text not null,
    counter bigint not null,
    transports text not null,
    name text not null,
    created_at bigint not null,
    last_used_at bigint
  )`,
  'create index passkeys_of_user on passkeys (user_id, id)',
  `create table challenges (
    hash text not null primary key,
    purpose text not null,
    user_id text references users (id) on delete cascade,
    failures bigint not null,
    expires_at bigint not null
  )`,
  'create index challenges_by_end on challenges (expires_at)',
  'create index challenges_of_user on challenges (user_id)',
  `create table identities (
    issuer text not null,
    subject text not null,
    user_id text not null references users (id) on delete cascade,
    linked_at bigint not null,
    primary key (issuer, subject)
  )`,
  'create index identities_of_user on identities (user_id)',
]
