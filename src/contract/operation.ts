import type { Static, TSchema } from 'typebox'
import type { Json } from '../lib/json.ts'
import type { Sealer } from '../lib/seal.ts'
import type { AddressPolicy } from '../outbound/address-policy.ts'
import type { QueryDns } from '../outbound/dns-client.ts'
import type { Caller } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import type { ErrorCode, Fault } from './errors.ts'
import type { RunProbe } from './probe.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

export type Tag =
  | ('Monitors' | 'Incidents' | 'Status pages' | 'Maintenance windows' | 'Published incidents' | 'Webhooks')
  /** Only the dashboard's. */
  | ('Account' | 'Members' | 'API keys' | 'Contacts' | 'Insight')

/** What is the same for every request of this installation. */
export interface Installation {
  /** The public address, without a slash at the end. */
  readonly baseUrl: string
  /** This node, as its claims name it; null where it is alone and writes none. */
  readonly node: string | null
  /** Looks at a target from here; a failed try is repeated before it is believed. */
  readonly runProbe: RunProbe
  /** Asks DNS, afresh each time. */
  readonly queryDns: QueryDns
  /** Seals what is shown once and needed again, such as signing secrets. */
  readonly sealer: Sealer
  readonly webhooks: WebhookSettings
}

export interface WebhookSettings {
  /** Which addresses they may lead to. */
  readonly policy: AddressPolicy
  /** How often a delivery is tried before it is given up. */
  readonly maxAttempts: number
}

/** What a handler knows besides the input: who asks, when, and where it runs. */
export interface OperationContext {
  readonly caller: Caller
  readonly requestId: string
  readonly now: number
  readonly installation: Installation
}

type Of<S> = S extends TSchema ? Static<S> : undefined

export interface Input<P, Q, B> {
  readonly params: Of<P>
  readonly query: Of<Q>
  readonly body: Of<B>
}

/** An answer: the resource, or its JSON where that is at hand already. */
export type Answer<A extends TSchema> = Static<A> | Json<Static<A>>

export interface Deprecation {
  /** When the operation was deprecated. */
  readonly since: Date
  /** The earliest moment it may stop working; at least 180 days after `since`. */
  readonly sunset: Date
  /** Where the notes for those who still use it are. */
  readonly link: string
}

export interface Declaration<P, Q, B, A extends TSchema> {
  readonly id: string
  readonly method: Method
  /** Below /api/v1, parameters as `:name`. */
  readonly path: `/${string}`
  readonly access: 'read' | 'write'
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Rules of the body that a schema cannot say. It sees the body as it came. */
  readonly refine?: (body: Readonly<Record<string, unknown>>, installation: Installation) => readonly Fault[]
  /** False where the body may be left out. */
  readonly bodyRequired?: boolean
  readonly answer: { readonly status: 200 | 201; readonly schema: A; readonly description: string }
  /** Errors of this operation beyond those that every operation can give. */
  readonly errors?: readonly ErrorCode[]
  readonly deprecated?: Deprecation
  /** It changes nothing, although it is no GET: who does it is not recorded. */
  readonly skipsAudit?: boolean
}

/** An operation that asks only the database: one read, or one transaction. */
interface Direct<P, Q, B, A extends TSchema> {
  handle(call: OperationContext, input: Input<P, Q, B>): DbWork<Answer<A>>
}

/**
 * An operation that has to wait for the network: `ask` reads what is needed, `run` does the waiting with no transaction
 * open, and `land` writes what came of it.
 */
export interface NetworkOperation<Context, In, Out, Task, Found> {
  prepare(context: Context, input: In): DbWork<Task>
  run(task: Task, installation: Installation, signal: AbortSignal): Promise<Found>
  save(context: Context, input: In, found: Found): DbWork<Out>
}

export type Operation = Declaration<TSchema, TSchema, TSchema, TSchema> &
  (
    | Direct<TSchema, TSchema, TSchema, TSchema>
    | NetworkOperation<OperationContext, Input<TSchema, TSchema, TSchema>, Answer<TSchema>, unknown, unknown>
  )

/** Declares an operation once. The declaration drives routing, validation, access, idempotency and the OpenAPI document. */
export function operation<
  A extends TSchema,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(declared: Declaration<P, Q, B, A> & Direct<P, Q, B, A>): Operation {
  return declared as unknown as Operation
}

export function networkOperation<
  A extends TSchema,
  Task,
  Found,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declared: Declaration<P, Q, B, A> & NetworkOperation<OperationContext, Input<P, Q, B>, Answer<A>, Task, Found>,
): Operation {
  return declared as unknown as Operation
}
