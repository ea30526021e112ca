import type { TSchema } from 'typebox'
import type { SendEmail } from '../outbound/email.ts'
import type { OidcProvider } from '../outbound/oidc.ts'
import type { SendHttp } from '../outbound/outgoing-request.ts'
import type { UserCaller } from '../storage/database.ts'
import type { DbWork } from '../storage/query.ts'
import type { Role } from '../storage/schema/accounts.ts'
import { ApiError } from './errors.ts'
import type { Answer, Declaration, Input, Installation, NetworkOperation, Operation } from './operation.ts'
import { type AppOperationId, permissions } from './permissions.ts'

/** How people come in here, as the operator has set it. */
export interface AccountSettings {
  /** The ways out for messages to contacts. */
  readonly transports: Transports
  /** Counts something that costs others, and says how long it has to wait; 0 where it need not. */
  readonly countUse: (subject: string, mostPerMinute: number, now: number) => number
  /** Hands a letter over and does not wait; absent where the operator has set up no mail server. */
  readonly queueMail: ((letter: Parameters<SendEmail>[0]) => void) | undefined
  /** An account elsewhere that opens one here; absent where the operator has set up none. */
  readonly oidc: (OidcProvider & { readonly signupRole: Role | undefined }) | undefined
  readonly openSignup: boolean
  readonly signupPlan: string
}

export interface Transports {
  readonly post: SendHttp
  /** Absent where the operator has set up no mail server. */
  readonly mail: SendEmail | undefined
}

/** A session that stands, and whose it is. */
export interface SignedInUser {
  readonly sessionId: string
  readonly userId: string
  readonly email: string
  readonly name: string
}

export interface Client {
  /** Of an IPv6 client, its network. */
  readonly address: string
  readonly userAgent: string | null
}

/** What a handler of the dashboard knows besides the input. */
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

type VisitFor<Id extends AppOperationId> = (typeof permissions)[Id] extends 'ANYONE'
  ? OpenContext
  : (typeof permissions)[Id] extends 'USER'
    ? UserContext
    : MemberContext

/** An answer that comes with a session: its token goes into the cookie; null takes the cookie away. */
export class WithSession<T> {
  readonly answer: T
  readonly token: string | null

  constructor(answer: T, token: string | null) {
    this.answer = answer
    this.token = token
  }
}

/** An answer with something to do once everything is committed, and only then. Nobody waits for it. */
export class AfterCommit<T> {
  readonly answer: T
  readonly act: () => void

  constructor(answer: T, act: () => void) {
    this.answer = answer
    this.act = act
  }
}

type Given<A extends TSchema> = Answer<A> | WithSession<Answer<A>> | AfterCommit<Answer<A>>
type Declared<P, Q, B, A extends TSchema> = Omit<Declaration<P, Q, B, A>, 'id'>
type Optional = TSchema | undefined

/** Declares an operation of the dashboard; who may do it stands in the table of permissions. */
export function appOperation<
  Id extends AppOperationId,
  A extends TSchema,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
>(
  id: Id,
  declared: Declared<P, Q, B, A> & { handle(visit: VisitFor<Id>, input: Input<P, Q, B>): DbWork<Given<A>> },
): AppOperation {
  return { id, ...declared, who: permissions[id] } as unknown as AppOperation
}

/** The same for what has to wait for something else than the database. */
export function appNetworkOperation<
  Id extends AppOperationId,
  A extends TSchema,
  Task,
  Found,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
>(
  id: Id,
  declared: Declared<P, Q, B, A> & NetworkOperation<VisitFor<Id>, Input<P, Q, B>, Given<A>, Task, Found>,
): AppOperation {
  return { id, ...declared, who: permissions[id] } as unknown as AppOperation
}

export type AppOperation = Operation & { readonly permission: (typeof permissions)[AppOperationId] }

/** Refuses what is done too often for others' good. */
export function enforceRateLimit(
  { countUse }: AccountSettings,
  subject: string,
  mostPerMinute: number,
  now: number,
): void {
  const waitMs = countUse(subject, mostPerMinute, now)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / 1000)
  throw new ApiError('rate_limited', `Too often; try again in ${seconds} s`, {
    headers: { 'retry-after': `${seconds}` },
  })
}
