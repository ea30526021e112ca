export interface FactorTables {
  totp_secrets: TotpTable
  recovery_codes: RecoveryCodeTable
  passkeys: PasskeyTable
  challenges: ChallengeTable
  identities: IdentityTable
}

/** What an authenticator app makes codes of. */
export interface TotpTable {
  user_id: string
  /** Sealed. */
  secret: string
  created_at: number
  /** Null until a code has shown that the app has the secret: until then it guards nothing. */
  confirmed_at: number | null
  /** The latest time step of which a code was taken: none is taken twice. */
  last_step: number
}

/** One that is left; it is gone once it is used. */
export interface RecoveryCodeTable {
  user_id: string
  position: number
  /** Tells whether a code is the one, to whoever has the key that seals. */
  mark: string
}

export interface PasskeyTable {
  id: string
  user_id: string
  /** As the authenticator names it, in base64url. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  /** How often it was used, as the authenticator counts; many always say 0. */
  counter: number
  /** How browsers can reach it, as JSON. */
  transports: string
  name: string
  created_at: number
  last_used_at: number | null
}

export type ChallengePurpose = 'SECOND_FACTOR' | 'PASSKEY_SIGN_IN' | 'ADD_PASSKEY'

/** A question that was asked and waits a few minutes for its answer. */
export interface ChallengeTable {
  hash: string
  purpose: ChallengePurpose
  /** Null where anybody may answer. */
  user_id: string | null
  /** What a passkey is to sign. */
  data: string | null
  failures: number
  expires_at: number
}

/** Whom a provider calls by a subject. */
export interface IdentityTable {
  issuer: string
  subject: string
  user_id: string
  linked_at: number
}
