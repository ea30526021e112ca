import type { Letter } from '../../outbound/mail.ts'
import type { Work } from '../../storage/query.ts'

/** What a notice tells of. The words are found when it is sent; what is gone by then is not told. */
export type About =
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
  readonly about: About
}

/** Somebody to write to. */
export interface Recipient {
  readonly orgId: string
  readonly id: string
  readonly address: string
}

/** Somebody to ask whether it was they who subscribed. */
export interface Asked extends Recipient {
  readonly pageId: string
  /** Until when they can answer. */
  readonly confirmBy: number
}

/** Finds the words for letters. Undefined where there is nothing to say any more: the page or what it told of is gone. */
export interface Writer {
  notice(notice: Notice): Work<((to: Recipient) => Letter) | undefined>
  confirmation(asked: Asked): Work<Letter | undefined>
}
