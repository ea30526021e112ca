export interface AccountTables {
  users: UserTable
  sessions: SessionTable
  members: MemberTable
  invitations: InvitationTable
  account_tokens: AccountTokenTable
  sign_in_limits: SignInLimitTable
  /** Networks that users have signed in from (see sessions/known-networks.ts). */
  sign_in_networks: { user_id: string; address: string; last_at: number }
  /** How many e-mails were caused in a time window (see mail-budgets/windows.ts). The subject is a hash. */
  mail_windows: { subject: string; ends_at: number; used: number }
  audit_entries: AuditTable
}

/** From most to least permissions. */
export const roles = ['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'] as const
export type Role = (typeof roles)[number]

/** A person who signs in. Users belong to the installation; permissions come from memberships. */
export interface UserTable {
  id: string
  /** As entered; mail is sent to it. */
  email: string
  /** Normalized form for comparison (see users/types.ts). */
  email_key: string
  name: string
  /** Null if no password was set yet. */
  password_hash: string | null
  /** Null until the user has followed a link mailed to the address, or the operator has confirmed it. */
  email_verified_at: number | null
  /** Of the dashboard; null: that of the browser. */
  language: string | null
  created_at: number
  updated_at: number
}

export interface SessionTable {
  id: string
  user_id: string
  /** SHA-256 of the cookie's token in hex. The token itself is not stored. */
  hash: string
  address: string
  user_agent: string | null
  created_at: number
  /** Updated every few minutes. */
  last_seen_at: number
  expires_at: number
}

export interface MemberTable {
  org_id: string
  user_id: string
  role: Role
  joined_at: number
}

/** Deleted when accepted, revoked or expired. */
export interface InvitationTable {
  org_id: string
  id: string
  hash: string
  /** Null for a link that the inviter copies and passes on. */
  email: string | null
  role: Role
  /** 1 if the link was mailed to the address and not returned to the inviter. */
  mailed: number
  /** Name of the inviter. */
  invited_by: string
  /** Id of the inviter. The invitation is valid only while this user may give its role. */
  created_by: string
  created_at: number
  expires_at: number
}

export type TokenPurpose = 'SETUP' | 'RESET_PASSWORD' | 'SIGN_UP'

/** Single-use links that were mailed or printed. */
interface AccountTokenTable {
  hash: string
  purpose: TokenPurpose
  /** Null if the user does not exist yet. */
  user_id: string | null
  /** JSON, depending on the purpose. */
  data: string | null
  created_at: number
  expires_at: number | null
}

/** Failed attempts by account, address, known browser and so on. The subject is a hash. */
interface SignInLimitTable {
  subject: string
  failures: number
  last_at: number
  blocked_until: number
}

export const actorTypes = ['USER', 'API_KEY', 'COMMAND_LINE'] as const

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
  /** JSON array of field names. */
  fields: string
  request_id: string | null
}
