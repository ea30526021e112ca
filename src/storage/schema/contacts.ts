import type { Generated } from 'kysely'

export const coverages = ['ALL', 'CHOSEN', 'LABELS'] as const

export type Coverage = (typeof coverages)[number]

export interface ContactTables {
  contacts: ContactTable
  /** Monitors that a contact with ALL does not cover, or that one with CHOSEN covers. */
  contact_exceptions: { org_id: string; contact_id: string; monitor_num: number }
  alerts: AlertTable
  /** Incidents open at a provider that tracks them, by the message that opened them. */
  alert_threads: { org_id: string; contact_id: string; message_id: string; opened_at: number }
}

export interface ContactTable {
  org_id: string
  id: string
  name: string
  channel: string
  /** The settings without their secrets, as JSON. */
  settings: string
  /** All settings as JSON, sealed (see lib/seal.ts). */
  sealed: string
  /** `*`, or the kinds of alert that it receives as `,opened,resolved,`. */
  kinds: string
  /** ALL: all monitors except its exceptions. CHOSEN: only its exceptions. LABELS: those that match `selector`. */
  covers: Coverage
  /** In its canonical form (see lib/selector.ts); null unless it covers LABELS. */
  selector: string | null
  /** Of its messages; null: the default of the organization. */
  language: string | null
  timezone: string | null
  enabled: number
  /** The e-mail address for comparison (see users/normalize.ts); null for other channels. */
  address_key: string | null
  /** 0: the e-mail address has not confirmed that it wants alerts, and gets none. */
  confirmed: number
  /** When the last confirmation link was mailed. */
  confirmation_sent_at: number | null
  last_sent_at: number | null
  last_error: string | null
  /** Time of the first failure since the last success. */
  failing_since: number | null
  /** When its alerts are due. During a claim: when the claim expires. Null if none is pending. */
  due_at: number | null
  /** No message is sent before this, except for a new outage: spacing between messages, or backoff after a failure. */
  hold_until: number
  /** No message at all is sent before this: the provider asked for it with Retry-After. */
  refused_until: number
  /** The node that is sending to it. */
  claimed_by: string | null
  created_at: number
  updated_at: number
}

/** One change that one contact is alerted about. */
interface AlertTable {
  num: Generated<number>
  org_id: string
  contact_id: string
  /** Identifies the change. Unique per contact, so each contact gets one alert for it. */
  change_key: string
  kind: string
  monitor_id: string | null
  incident_id: string | null
  subject: string
  target: string | null
  reason: string | null
  /** JSON: AlertFacts in notifications/contacts/types.ts; null if there are none. */
  facts: string | null
  at: number
  /** The ongoing problem that this change started; null if the change starts none. */
  problem_key: string | null
  /** On the change that ended a problem: when it began. */
  began_at: number | null
  /** On the change that started a problem: when it ended. */
  ended_at: number | null
  /** When the next attempt is due; null once settled, and while it waits for the end of a mute. */
  due_at: number | null
  /** The end of the mute that it waits for. */
  muted_until: number | null
  attempts: number
  /** The first message that contained it, sent or not. Providers that track incidents identify them by it. */
  message_id: string | null
  outcome: 'SENT' | 'GIVEN_UP' | 'DROPPED' | 'MUTED' | null
  settled_at: number | null
}
