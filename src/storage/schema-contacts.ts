import type { Generated } from 'kysely'

export interface ContactTable {
  org_id: string
  id: string
  name: string
  channel: string
  /** The settings as they may be shown, as JSON: of a secret, a hint. */
  settings: string
  /** The settings in full, as JSON, sealed (see lib/seal.ts). */
  sealed: string
  /** `*`, or the kinds of alert that it wants as `,opened,resolved,`. */
  kinds: string
  /** 1: all monitors but its exceptions. 0: no monitor but its exceptions. */
  covers_all: number
  enabled: number
  last_sent_at: number | null
  last_error: string | null
  /** When the first of a row of failures was, with no success since. */
  failing_since: number | null
  /** Since when something waits to be sent, or when the claim on it ends; null while nothing waits. */
  due_at: number | null
  /** What comes before this waits until then. */
  quiet_until: number
  /** The node that is sending to it. */
  claimed_by: string | null
  created_at: number
  updated_at: number
}

/** One change that one contact is told of. */
export interface AlertTable {
  num: Generated<number>
  org_id: string
  contact_id: string
  /** Names the change: the same for every contact, and once for each. */
  change_key: string
  kind: string
  monitor_id: string | null
  incident_id: string | null
  subject: string
  target: string | null
  reason: string | null
  at: number
  /** What began with this change and has an end; null where it has none. */
  trouble: string | null
  /** On the change that ends a trouble: when it began. */
  began_at: number | null
  /** On the change that began a trouble: when it ended. */
  ended_at: number | null
  /** Since when it waits, or when its next attempt is due; null once it is settled. */
  due_at: number | null
  attempts: number
  /** The message it was first sent with, even if in vain: services that keep incidents know them by it. */
  notice: string | null
  outcome: 'SENT' | 'GIVEN_UP' | 'DROPPED' | null
  settled_at: number | null
}
