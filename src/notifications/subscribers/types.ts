import type { Email } from '../../outbound/email.ts'
import type { DbWork } from '../../storage/query.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'

/** Only references: the text is composed when the notice is sent, and nothing is sent if the incident is gone by then. */
export type NoticeTopic =
  | {
      readonly kind: 'incident'
      readonly publishedId: string
      /** Null if the incident itself was edited. */
      readonly updateId: string | null
    }
  | {
      readonly kind: 'maintenance'
      readonly change: MaintenanceChange
      readonly windowId: string
      /** Copied from the window, because a cancelled window no longer exists. */
      readonly name: string
      readonly description: string | null
      /** Of the occurrence. */
      readonly startsAt: number
      readonly endsAt: number
    }

export type MaintenanceChange = 'scheduled' | 'started' | 'completed' | 'cancelled'

export interface Notice {
  readonly orgId: string
  readonly id: string
  readonly pageId: string
  readonly topic: NoticeTopic
  readonly createdAt: number
}

export interface Recipient {
  readonly orgId: string
  readonly id: string
  readonly kind: SubscriberKind
  /** The e-mail address; for other kinds a hash. */
  readonly address: string
  /** The encrypted URL of a webhook or Slack channel. */
  readonly sealedUrl: string | null
}

export interface PendingSubscriber extends Recipient {
  readonly pageId: string
  /** When the confirmation link expires. */
  readonly confirmBy: number
}

/** What is sent to one subscriber: an e-mail, or the JSON body of a request. */
export type SubscriberMessage = { readonly email: Email } | { readonly body: object }

/** Composes messages. Undefined if the page or the topic no longer exists. */
export interface MessageComposer {
  notice(notice: Notice): DbWork<((to: Recipient) => SubscriberMessage) | undefined>
  confirmation(subscriber: PendingSubscriber): DbWork<SubscriberMessage | undefined>
}
