import type { Generated } from 'kysely'

export interface SubscriberTables {
  subscribers: SubscriberTable
  /** Deleted pages whose subscribers still have to be removed, in batches. */
  subscriber_tombstones: { org_id: string; page_id: string }
}

export const subscriberKinds = ['EMAIL', 'WEBHOOK', 'SLACK'] as const

export type SubscriberKind = (typeof subscriberKinds)[number]

/** An e-mail address, webhook or Slack channel that receives the updates of a status page. */
export interface SubscriberTable {
  /** In order of subscription. Notices record their progress by it. */
  num: Generated<number>
  org_id: string
  id: string
  page_id: string
  kind: Generated<SubscriberKind>
  /** E-mail: with the domain in lower case (see subscribers/address.ts). Others: a keyed hash of the URL, which is secret. */
  address: string
  /** The encrypted URL of a webhook or Slack channel; null for e-mail. */
  sealed_url: Generated<string | null>
  /** The host and last characters of the URL, to recognize it; null for e-mail. */
  label: Generated<string | null>
  /** Since when messages to a webhook or Slack channel fail. */
  failing_since: Generated<number | null>
  /** DISABLED: the mail server rejected the address too often; nothing is sent until it is confirmed again. */
  state: 'PENDING' | 'CONFIRMED' | 'DISABLED'
  /** Consecutive rejections of the recipient by the mail server. */
  rejections: number
  last_error: string | null
  /** While PENDING: deleted if not confirmed by then. */
  confirm_by: number | null
  created_at: number
  confirmed_at: number | null
}
