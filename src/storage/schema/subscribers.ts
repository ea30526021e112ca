import type { Generated } from 'kysely'

export interface SubscriberTables {
  subscribers: SubscriberTable
  subscriber_notices: SubscriberNoticeTable
  subscriber_retries: SubscriberRetryTable
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
  /** When the confirmation mail is due. During a claim: when the claim expires. Null once sent. */
  confirm_due_at: number | null
  confirm_attempts: number
  /** The node that is sending the confirmation mail. */
  claimed_by: string | null
  created_at: number
  confirmed_at: number | null
}

/** A message to all confirmed subscribers of one kind of a page. Deleted once all have been sent. */
interface SubscriberNoticeTable {
  org_id: string
  id: string
  page_id: string
  /** Kinds are sent independently: a mail server that is down does not delay webhooks. */
  kind: Generated<SubscriberKind>
  /** JSON of a `NoticeTopic` (see subscribers/types.ts). */
  topic: string
  /** Subscribers up to this number have been sent the message, or have a row in `subscriber_retries`. */
  after_num: number
  /** Consecutive batches of which the mail server accepted nothing. */
  failures: number
  /** When the next batch is due. During a claim: when the claim expires. */
  due_at: number
  claimed_by: string | null
  created_at: number
}

/** A subscriber to whom sending a notice failed and will be retried. */
interface SubscriberRetryTable {
  org_id: string
  notice_id: string
  num: number
  attempts: number
  due_at: number
}
