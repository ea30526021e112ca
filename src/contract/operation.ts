import type { Static, TSchema } from 'typebox'
import type { Json } from '../lib/json.ts'
import type { Sealer } from '../lib/seal.ts'
import type { AddressPolicy } from '../outbound/address-policy.ts'
import type { QueryDns } from '../outbound/dns-client.ts'
import type { Caller } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import type { Role } from '../storage/schema/accounts.ts'
import type { ErrorCode, Fault } from './errors.ts'
import type { DocumentReader } from './json-body.ts'
import type { RunProbe } from './probe.ts'
import type { Services } from './services.ts'

/** Accounts, and everything before sign-in. */
export const ACCOUNT_BODY_BYTES = 16 * 1024
export const DEFAULT_BODY_BYTES = 64 * 1024
/** Where a field needs it: 100,000 characters of a monitor's request body, escaped as \uXXXX pairs, fit. */
export const LARGE_BODY_BYTES = 2 * 1024 * 1024

/** A configuration document. */
export const DOCUMENT_BODY_BYTES = 16 * 1024 * 1024
/** Of those who can only plan documents. */
export const READER_DOCUMENT_BYTES = 1024 * 1024

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Tag =
  | ('Monitors' | 'Incidents' | 'Status pages' | 'Maintenance windows' | 'Published incidents' | 'Webhooks')
  | ('Contacts' | 'Labels' | 'Insight' | 'Configuration')
  /** Dashboard only. */
  | ('Account' | 'Members' | 'API keys')

/** What is the same for all requests. */
export interface Installation extends Services {
  /** The public URL without a trailing slash. */
  readonly baseUrl: string
  readonly runProbe: RunProbe
  /** The delays before the repeats of a failed attempt, unless a monitor has its own. */
  readonly confirmDelaysSeconds: readonly number[]
  /** Without a cache. Private addresses are withheld as the policy for targets says. */
  readonly queryDns: QueryDns
  /** The addresses that targets of monitors may have. */
  readonly targetPolicy: AddressPolicy
  /** Whether a status page is served only on custom domains that its owner has proven. */
  readonly requiresDomainProof: boolean
  /** Encrypts stored secrets, such as signing secrets. */
  readonly sealer: Sealer
  readonly webhooks: WebhookSettings
}

interface WebhookSettings {
  /** The addresses that endpoints may have. */
  readonly policy: AddressPolicy
  readonly maxAttempts: number
}

/** What a handler receives besides the input. */
export interface OperationContext {
  readonly caller: Caller
  readonly requestId: string
  readonly now: number
  readonly installation: Installation
}

type Parsed<S> = S extends TSchema ? Static<S> : undefined

export interface Input<P, Q, B> {
  readonly params: Parsed<P>
  readonly query: Parsed<Q>
  readonly body: Parsed<B>
}

/** The resource, or its JSON if that is stored. */
export type Answer<A extends TSchema> = Static<A> | Json<Static<A>>

/** An answer with headers of its own, which a replay repeats. */
export class WithHeaders<T> {
  readonly answer: T
  readonly headers: Readonly<Record<string, string>>

  constructor(answer: T, headers: Readonly<Record<string, string>>) {
    this.answer = answer
    this.headers = headers
  }
}

/** A header that only some responses of an operation have. */
interface OperationHeader {
  readonly description: string
  readonly example: string
}

export interface Deprecation {
  readonly since: Date
  /** The operation works at least until then, 180 days or more after `since`. */
  readonly sunset: Date
  /** Migration notes. */
  readonly link: string
}

export interface Declaration<P, Q, B, A extends TSchema> {
  readonly id: string
  readonly method: Method
  /** Below /api/v1, parameters as `:name`. */
  readonly path: `/${string}`
  readonly access: 'read' | 'write'
  /**
   * The least role that a user needs, if it is not the role for this access (`roleFor`). API keys have no role: a read-only key
   * may call every GET, so it can read the audit log.
   */
  readonly role?: Role
  /** Whether a read-only key may call it although it is not a GET: it changes nothing that anybody sees. */
  readonly readOnlyKeys?: true
  /** Beyond the contract of the API. The document marks it with `x-extension`. */
  readonly extension?: true
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Rules that a schema cannot express. Receives the body before defaults are applied. */
  readonly refine?: (body: Readonly<Record<string, unknown>>, installation: Installation) => readonly Fault[]
  /** Default: true. */
  readonly bodyRequired?: boolean
  /** Default: DEFAULT_BODY_BYTES, for operations of the dashboard alone ACCOUNT_BODY_BYTES. */
  readonly bodyLimitBytes?: number
  /** The body is a large document, which is read in a thread for foreign text. gzip is accepted. The operation is `bulk`. */
  readonly document?: DocumentReader
  /** The body is not JSON but files, an `Upload`. `bodyLimitBytes` is enforced by the operation. */
  readonly isUpload?: true
  readonly answer: {
    readonly status: 200 | 201
    readonly schema: A
    readonly description: string
    readonly headers?: Readonly<Record<string, OperationHeader>>
    /** If it is not JSON. Errors are JSON. */
    readonly mediaType?: string
    /** Also as YAML, for `Accept: application/yaml`. */
    readonly alsoYaml?: true
  }
  /** Besides the errors that every operation can return. */
  readonly errors?: readonly ErrorCode[]
  readonly deprecated?: Deprecation
  /**
   * Whether the operation sends messages to people, or can; a list names the fields of the body that make it send. `x-notifies` in the
   * document, which tools for AI assistants ask to confirm.
   */
  readonly notifies?: true | readonly string[]
  /** For a list that does not read page and total from one snapshot, which takes a transaction. */
  readonly skipsSnapshot?: boolean
  /** Changes many things: one such operation of an organization runs at a time (server/api/bulk-turns.ts). */
  readonly bulk?: true
  /**
   * The transaction of `save` writes megabytes. On SQLite it gives the event loop back in between, as that of a bulk operation does,
   * which only has to take turns as well.
   */
  readonly savesMuch?: true
  /** For operations that change nothing although they are not GET, or that write entries of their own. */
  readonly skipsAudit?: boolean
}

/** An operation that uses only the database: one read, or one transaction. */
interface DatabaseOperation<P, Q, B, A extends TSchema> {
  handle(context: OperationContext, input: Input<P, Q, B>): DbWork<Answer<A>>
}

/**
 * An operation that waits for the network: `prepare` reads what `run` needs, `run` waits with no transaction open, and
 * `save` writes the result and returns the answer.
 */
export interface NetworkOperation<Context, In, Out, Task, Result> {
  prepare(context: Context, input: In): DbWork<Task>
  run(task: Task, installation: Installation, signal: AbortSignal): Promise<Result>
  /** Undoes what `prepare` has written, in its own transaction, if `run` fails. */
  abandon?(context: Context, input: In, task: Task): DbWork<void>
  save(context: Context, input: In, result: Result): DbWork<Out | WithHeaders<Out>>
}

/** A read that is too large for one turn of the event loop: it reads in steps, and returns the parts of a text. */
interface StreamedOperation<P, Q, B> {
  parts(context: OperationContext, input: Input<P, Q, B>, read: Read): Promise<readonly string[]>
}

/** Runs work that changes nothing. */
export type Read = <T>(work: DbWork<T>) => T | Promise<T>

export type Operation = Declaration<TSchema, TSchema, TSchema, TSchema> &
  (
    | DatabaseOperation<TSchema, TSchema, TSchema, TSchema>
    | NetworkOperation<OperationContext, Input<TSchema, TSchema, TSchema>, Answer<TSchema>, unknown, unknown>
    | StreamedOperation<TSchema, TSchema, TSchema>
  )

/** Declares an operation. Routing, validation, access, idempotency and the OpenAPI document are derived from it. */
export function operation<
  A extends TSchema,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(declared: Declaration<P, Q, B, A> & DatabaseOperation<P, Q, B, A>): Operation {
  return declared as unknown as Operation
}

export function streamedOperation<
  A extends TSchema,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
>(
  declared: Declaration<P, Q, undefined, A> & { readonly access: 'read' } & StreamedOperation<P, Q, undefined>,
): Operation {
  return declared as unknown as Operation
}

export function networkOperation<
  A extends TSchema,
  Task,
  Result,
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
>(
  declared: Declaration<P, Q, B, A> & NetworkOperation<OperationContext, Input<P, Q, B>, Answer<A>, Task, Result>,
): Operation {
  return declared as unknown as Operation
}
