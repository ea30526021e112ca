import type { Email } from '../../outbound/email.ts'
import type { DbWork } from '../../storage/query.ts'
import type { NextStep, SendResult } from './next-step.ts'
import type { DeliveryClaim } from './queue.ts'

export type Message =
  | { readonly email: Email }
  | {
      /** Undefined if it cannot be decrypted. */
      readonly url: string | undefined
      readonly body: object
      /** Answers that mean that the endpoint does not exist any more. */
      readonly goneStatuses: readonly number[]
    }

/** One message of a delivery. */
export interface Outgoing<R> {
  readonly message: Message
  /** If it is not the target of the delivery, a message that is to be retried becomes a delivery of its own. */
  readonly targetId: string | null
  /** For `settle`. */
  readonly recipient: R
}

export interface Composed<R> {
  readonly messages: readonly Outgoing<R>[]
  /** Present if further messages follow: the `after_num` that they begin after. */
  readonly continuesAfter?: number
}

/** An outgoing message with its result. */
export interface Sent<R> extends Outgoing<R> {
  readonly result: SendResult
  readonly step: NextStep
}

/** What is special about one kind of delivery. */
export interface Adapter<R = unknown> {
  readonly retryDelaysMs: readonly number[]
  /** The messages to send now. Undefined if there is no reason to send any more. */
  compose(claim: DeliveryClaim): DbWork<Composed<R> | undefined>
  /** Writes what the results mean for the recipients, in the transaction that settles the delivery. */
  settle?(claim: DeliveryClaim, sent: readonly Sent<R>[], now: number): DbWork<void>
}
