import type { TSchema } from 'typebox'
import type { OidcProvider } from '../outbound/oidc.ts'
import type { UserCaller } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import type { Role } from '../storage/schema/accounts.ts'
import {
  ACCOUNT_BODY_BYTES,
  type Answer,
  type Declaration,
  type Input,
  type Installation,
  type NetworkOperation,
  type Operation,
} from './operation.ts'
import { type AppOperationId, permissions } from './permissions.ts'

/** What account operations need of the configuration. */
export interface AccountSettings {
  /** Undefined if no OpenID provider is configured. */
  readonly oidc: (OidcProvider & { readonly signupRole: Role | undefined }) | undefined
  readonly openSignup: boolean
  readonly signupPlan: string
}

/** The user of a valid session. */
export interface SignedInUser {
  readonly sessionId: string
  readonly userId: string
  readonly email: string
  readonly name: string
}

export interface Client {
  /** For IPv6: the network prefix. */
  readonly address: string
  readonly userAgent: string | null
  /** Users who have signed in with this browser before, by a sealed cookie. */
  readonly knownBrowsers: () => readonly KnownBrowser[]
}

/** A browser that a user has signed in with. */
export interface KnownBrowser {
  readonly userId: string
  readonly id: string
}

/** What a dashboard handler receives besides the input, without a session being required. */
export interface OpenContext {
  readonly signedIn: SignedInUser | undefined
  readonly client: Client
  readonly accounts: AccountSettings
  readonly requestId: string
  readonly now: number
  readonly installation: Installation
}

export interface UserContext extends OpenContext {
  readonly signedIn: SignedInUser
}

export interface MemberContext extends UserContext {
  readonly caller: UserCaller
}

type ContextFor<Id extends AppOperationId> = (typeof permissions)[Id] extends 'ANYONE'
  ? OpenContext
  : (typeof permissions)[Id] extends 'USER'
    ? UserContext
    : MemberContext

/** An answer that sets the session cookie to the token; null clears it. A sign-in also makes the browser a known one of the user. */
export class WithSession<T> {
  readonly answer: T
  readonly token: string | null
  readonly signedInAs: string | undefined

  constructor(answer: T, token: string | null, signedInAs?: string) {
    this.answer = answer
    this.token = token
    this.signedInAs = signedInAs
  }
}

type HandlerResult<A extends TSchema> = Answer<A> | WithSession<Answer<A>>
/** An operation of the dashboard reads if it is a GET; others change something. */
type Declared<P, Q, B, A extends TSchema> = Omit<Declaration<P, Q, B, A>, 'id' | 'access'>
type Optional = TSchema | undefined

/** Declares an operation of the dashboard. Its permission comes from permissions.ts. */
export function appOperation<
  Id extends AppOperationId,
  A extends TSchema,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
>(
  id: Id,
  declared: Declared<P, Q, B, A> & { handle(context: ContextFor<Id>, input: Input<P, Q, B>): DbWork<HandlerResult<A>> },
): AppOperation {
  return complete(id, declared)
}

/** The same for an operation that waits for the network or a password hash. */
export function appNetworkOperation<
  Id extends AppOperationId,
  A extends TSchema,
  Task,
  Result,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
>(
  id: Id,
  declared: Declared<P, Q, B, A> & NetworkOperation<ContextFor<Id>, Input<P, Q, B>, HandlerResult<A>, Task, Result>,
): AppOperation {
  return complete(id, declared)
}

function complete(id: AppOperationId, declared: Pick<Operation, 'method'>): AppOperation {
  const access = declared.method === 'GET' ? 'read' : 'write'
  const operation = { id, access, bodyLimitBytes: ACCOUNT_BODY_BYTES, ...declared, permission: permissions[id] }
  return operation as unknown as AppOperation
}

export type AppOperation = Operation & { readonly permission: (typeof permissions)[AppOperationId] }
