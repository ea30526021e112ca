import type { Soon } from '../lib/soon.ts'
import type { ChangeNotice, DbWork } from './query.ts'
import type { Role } from './schema/accounts.ts'

export type Engine = 'sqlite' | 'postgres'

/** One database, whichever engine stands behind it. */
export interface Database {
  readonly engine: Engine
  /** Where it is, for people; never with a password. */
  readonly location: string
  /** Runs work that changes nothing. */
  read<T>(work: DbWork<T>): Soon<T>
  /**
   * Runs work in one transaction and settles once it is durable. Work that throws leaves nothing behind, and is not
   * continued: it may translate a failed step into a better error, no more.
   */
  write<T>(work: () => DbWork<T>, haste?: CommitMode): Promise<T>
  /**
   * Takes a named lock, or says at once that somebody holds it. It ends with its release, or with the life of the
   * process that took it, however that ends.
   */
  tryLock(name: string): Promise<Lock | undefined>
  /** Counts one request of a caller, found by the hash of its key, or else of its address. */
  readonly rateLimiter: RateLimiter
  /**
   * Has somebody told of what is committed, by this node and by the others. Hints that may be missed where a connection
   * is lost: then `lost` is called.
   */
  watch(by: Watcher): ChangeSubscription
  /** Rejects unless the database answers. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Whoever wants to be told. While nobody is there, nothing is kept or sent. */
export interface Watcher {
  isActive(): boolean
  notify(told: readonly ChangeNotice[]): void
  connectionLost(): void
}

export interface ChangeSubscription {
  /** Somebody has come: other nodes begin to tell at once. */
  announceInterest(): void
}

/** `patient` work may wait a moment for company, so that one flush to disk serves many: nobody is waiting for it. */
export type CommitMode = 'prompt' | 'patient'

export interface Lock {
  release(): Promise<void>
}

/** Admission: who is calling, and how much of the present rate window is used, this request included. */
export interface RateLimiter {
  countRequest(keyHash: string | undefined, address: string): Soon<CountedRequest>
  /** Forgets windows that have passed; says how many. */
  prune(): Promise<number>
}

export interface CountedRequest {
  readonly caller: KeyCaller | undefined
  readonly used: number
  readonly resetsInMs: number
}

/** Whoever asks: with a key, or in a session. */
export type Caller = KeyCaller | UserCaller

/** What requests need to know of the organization that they are made for. */
interface ForOrganization {
  readonly orgId: string
  readonly orgSlug: string
  readonly plan: string
  readonly subscription: 'active' | 'inactive'
}

/** A key that is valid now. */
export interface KeyCaller extends ForOrganization {
  readonly keyId: string
  readonly keyName: string
  readonly access: 'full' | 'read-only'
}

/** A member of the organization who is signed in. */
export interface UserCaller extends ForOrganization {
  readonly userId: string
  readonly userName: string
  readonly role: Role
}

export interface RateLimit {
  readonly quota: number
  readonly windowMs: number
}

/** The database refused a row because another one stands in its place. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation'
}

/** The database cannot be used; the sentence says what to do. */
export class StorageUnusable extends Error {
  override name = 'StorageUnusable'
}
