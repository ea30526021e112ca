import type { Email } from '../../outbound/email.ts'
import type { DbWork } from '../../storage/query.ts'

/** What a notice tells of. The words are found when it is sent; what is gone by then is not told. */
export type NoticeTopic =
  | {
      readonly kind: 'incident'
      readonly publishedId: string
      /** Null where the incident itself was edited. */
      readonly updateId: string | null
    }
  | {
      readonly kind: 'maintenance'
      readonly change: MaintenanceChange
      readonly windowId: string
      /** As they were then: a window that is cancelled is gone. */
      readonly name: string
      readonly description: string | null
      /** The occurrence that it is about. */
      readonly startsAt: number
      readonly endsAt: number
    }

export type MaintenanceChange = 'scheduled' | 'started' | 'completed' | 'cancelled'

export interface Notice {
  readonly orgId: string
  readonly id: string
  readonly pageId: string
  readonly topic: NoticeTopic
}

/** Somebody to write to. */
export interface Recipient {
  readonly orgId: string
  readonly id: string
  readonly address: string
}

/** Somebody to ask whether it was they who subscribed. */
export interface PendingSubscriber extends Recipient {
  readonly pageId: string
  /** Until when they can answer. */
  readonly confirmBy: number
}

/** Finds the words for letters. Undefined where there is nothing to say any more: the page or what it told of is gone. */
export interface EmailComposer {
  notice(notice: Notice): DbWork<((to: Recipient) => Email) | undefined>
  confirmation(asked: PendingSubscriber): DbWork<Email | undefined>
}
