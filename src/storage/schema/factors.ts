export interface FactorTables {
  totp_secrets: TotpTable
  recovery_codes: RecoveryCodeTable
  passkeys: PasskeyTable
  challenges: ChallengeTable
  identities: IdentityTable
}

/** The secret shared with an authenticator app. */
export interface TotpTable {
  user_id: string
  /** Sealed. */
  secret: string
  created_at: number
  /** Null until the user has entered a first code; until then sign-in does not ask for codes. */
  confirmed_at: number | null
  /** The latest time step whose code was accepted. No code is accepted twice. */
  last_step: number
}

/** An unused recovery code. Deleted when used. */
interface RecoveryCodeTable {
  user_id: string
  position: number
  /** Keyed hash of the code (see lib/seal.ts). */
  code_hash: string
}

export interface PasskeyTable {
  id: string
  user_id: string
  /** The authenticator's id of the credential, in base64url. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** The authenticator's signature counter; many authenticators always report 0. */
  counter: number
  /** JSON array of WebAuthn transports. */
  transports: string
  name: string
  created_at: number
  last_used_at: number | null
}

/** USED_PASSKEY: a passkey challenge that was used, until it has expired (see accounts/factors/passkey-challenges.ts). */
type ChallengePurpose = 'SECOND_FACTOR' | 'USED_PASSKEY'

/** A challenge that can be answered for a few minutes, or one that was used. */
interface ChallengeTable {
  hash: string
  purpose: ChallengePurpose
  /** Null for used passkey challenges. */
  user_id: string | null
  failures: number
  expires_at: number
}

/** Links an account of an OpenID provider to a user. */
export interface IdentityTable {
  issuer: string
  subject: string
  user_id: string
  linked_at: number
}
