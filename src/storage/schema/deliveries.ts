import type { Generated } from 'kysely'

export interface DeliveryTables {
  deliveries: DeliveryTable
}

/**
 * ACCOUNT_MAIL: an e-mail with a link, such as a password reset. CONFIRMATION: asks a subscriber to confirm. NOTICE: an update of
 * a status page, to one subscriber, or to all of one kind without `target_id`.
 */
export type DeliveryKind = 'ACCOUNT_MAIL' | 'CONFIRMATION' | 'NOTICE'

/** E-mails and requests are claimed apart: a mail server that is down does not delay webhooks. */
export type Medium = 'EMAIL' | 'HTTP'

/** A message that is to be sent. Deleted once it is sent, given up or expired. */
interface DeliveryTable {
  id: string
  /** Null for account mails. */
  org_id: string | null
  kind: DeliveryKind
  medium: Medium
  /** The id of the subscriber. */
  target_id: string | null
  /** What the adapter of its kind needs (see notifications/deliveries/adapter.ts). Sealed if it is a secret. */
  payload: string
  /** NOTICE to all: subscribers up to this number were sent to, or have a delivery of their own. */
  after_num: Generated<number>
  /** Attempts that failed. */
  attempts: Generated<number>
  /** When the next attempt is due. During a claim: when the claim expires. */
  due_at: number
  claimed_by: string | null
  /** Not sent after this. */
  expires_at: number
  created_at: number
}
