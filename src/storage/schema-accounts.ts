export interface AccountTables {
  users: UserTable
  sessions: SessionTable
  members: MemberTable
  invitations: InvitationTable
  account_tokens: AccountTokenTable
  sign_in_limits: SignInLimitTable
  audit_entries: AuditTable
}

/** What a member may do, the most first. */
export const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'] as const
export type Role = (typeof roles)[number]

/** Somebody who signs in. Users belong to the installation; what they may do is said by their memberships. */
export interface UserTable {
  id: string
  /** As it was given; mail goes there. */
  email: string
  /** What addresses are compared by (see users/types.ts). */
  email_key: string
  name: string
  /** Null where no password was chosen yet. */
  password_hash: string | null
  /** Null until somebody has come by a link that was mailed there, or the operator has vouched for it. */
  email_verified_at: number | null
  created_at: number
  updated_at: number
}

export interface SessionTable {
  id: string
  user_id: string
  /** SHA-256 of the token in hex; the token itself is in the cookie and nowhere else. */
  hash: string
  address: string
  user_agent: string | null
  created_at: number
  /** Noted every few minutes. */
  last_seen_at: number
  expires_at: number
}

export interface MemberTable {
  org_id: string
  user_id: string
  role: Role
  joined_at: number
}

/** Gone once it is accepted, taken back or over. */
export interface InvitationTable {
  org_id: string
  id: string
  hash: string
  /** Null where the link was copied, for whoever it is given to. */
  email: string | null
  role: Role
  /** 1 where the link went by mail to the address and was shown to nobody else. */
  mailed: number
  /** The name of whoever invited. */
  invited_by: string
  created_at: number
  expires_at: number
}

export type TokenPurpose = 'SETUP' | 'RESET_PASSWORD' | 'SIGN_UP'

/** Links that were sent or printed, each good for one use. */
export interface AccountTokenTable {
  hash: string
  purpose: TokenPurpose
  /** Null where there is no user yet. */
  user_id: string | null
  /** What the link is about, as JSON. */
  data: string | null
  created_at: number
  expires_at: number | null
}

/** Attempts that failed, by account and by address; who it was is kept as a hash. */
export interface SignInLimitTable {
  subject: string
  failures: number
  last_at: number
  blocked_until: number
}

export const actorTypes = ['USER', 'API_KEY', 'COMMAND_LINE'] as const

/** Who changed what. */
export interface AuditTable {
  org_id: string
  id: string
  at: number
  actor_type: (typeof actorTypes)[number]
  actor_id: string | null
  actor_name: string
  action: string
  target: string | null
  target_name: string | null
  /** Names of fields, as JSON. */
  fields: string
  request_id: string | null
}
