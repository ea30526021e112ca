import type { Generated } from 'kysely'

/** Somebody who asked to be told by mail of what a page says. */
export interface SubscriberTable {
  /** In order of asking; how far a notice got is told by it. */
  num: Generated<number>
  org_id: string
  id: string
  page_id: string
  /** With the domain in lower case (see subscribers/address.ts). */
  address: string
  /** DISABLED: the mail server has rejected the address too often; nothing is sent until it is confirmed anew. */
  state: 'PENDING' | 'CONFIRMED' | 'DISABLED'
  /** How often in a row the mail server said that there is no such recipient. */
  rejections: number
  last_error: string | null
  /** While it is PENDING: until then it is to be confirmed, or it is forgotten. */
  confirm_by: number | null
  /** Since when the mail that asks for the confirmation waits, or when the claim on it ends; null once it is sent. */
  confirm_due_at: number | null
  confirm_attempts: number
  /** The node that is sending that mail. */
  claimed_by: string | null
  created_at: number
  confirmed_at: number | null
}

/** Something that all confirmed subscribers of a page are to be told; gone once they are. */
export interface SubscriberNoticeTable {
  org_id: string
  id: string
  page_id: string
  /** An `About` (see subscribers/types.ts) as JSON. */
  about: string
  /** Subscribers up to this number were told, or stand among the retries. */
  after_num: number
  /** How often in a row the mail server took nothing at all. */
  failures: number
  /** When the next of them are to be told, or when the claim on it ends. */
  due_at: number
  claimed_by: string | null
  created_at: number
}

/** A subscriber whom a notice did not reach, and who is to be told again. */
export interface SubscriberRetryTable {
  org_id: string
  notice_id: string
  num: number
  attempts: number
  due_at: number
}
