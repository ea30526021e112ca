import type { Clock } from '../lib/clock.ts'
import type { ChangeNotice, DbWork, Read } from './query.ts'
import type { Role } from './schema/accounts.ts'

export type Engine = 'sqlite' | 'postgres'

export interface Database {
  readonly engine: Engine
  /** File or URL for messages, without a password. */
  readonly location: string
  /** Runs work that changes nothing, outside a transaction. */
  read<T>(work: DbWork<T>): Promise<T>
  /**
   * Runs work in one transaction and resolves once it is durable. If the work throws, everything is rolled back. Work may
   * catch a failed step only to throw a better error. On PostgreSQL it may run more than once: after a deadlock or a lost
   * connection. `bulk` work gives the event loop back in between on SQLite, and has 150 s instead of 5 s on PostgreSQL.
   */
  write<T>(work: () => DbWork<T>, mode?: 'bulk'): Promise<T>
  /**
   * The same database with the limits of work that a client waits for: an answer or an error within 5 s. With `half`, such
   * work uses at most half of the connections at a time: a flood of anonymous requests leaves the others free.
   */
  forRequests(share?: 'all' | 'half'): Database
  /**
   * The same database for requests of an organization. Work that waits takes turns by organization, and no organization uses
   * more than half of the connections while others wait.
   */
  forOrganization(orgId: string): Database
  /**
   * Changes the schema, one node at a time for each purpose; other nodes wait. Has limits of its own, because building an
   * index or waiting for another node may take long.
   */
  changeSchema<T>(purpose: string, change: (session: SchemaSession) => Promise<T>): Promise<T>
  /**
   * Takes a named lock, or returns undefined if it is held. A lock ends with its release or with its node, which
   * `lockAs` names first.
   */
  tryLock(name: string): Promise<Lock | undefined>
  /**
   * Takes a named lock until the end of the transaction and reads a row under it, in one round trip. `isLocked` is false if
   * the lock is held, also by `tryLock`; the row may then be out of date at once.
   */
  firstUnderLock<V extends object, Row>(
    name: string,
    of: Read<V, Row>,
    values: NoInfer<V>,
  ): DbWork<{ readonly isLocked: boolean; readonly row: Row | undefined }>
  /** Locks are taken in the name of this node from now on. */
  lockAs(node: string): void
  /** Rows of nodes, on a connection of its own. Undefined on SQLite, which has one node. */
  readonly nodeRegistry: NodeRegistry | undefined
  /** The time that all nodes share: the system's on SQLite, the database's on PostgreSQL. */
  readonly clock: Clock
  readonly rateLimiter: RateLimiter
  /**
   * Reports committed changes of this node and of others. Notices may be missed; then `connectionLost` is called. The returned
   * function is called when the watcher becomes active, so that other nodes start to send at once.
   */
  watch(by: Watcher): () => void
  /**
   * Rejects with the reason unless the database answers and accepts writes. Answers within 2 s. Whether there is space for
   * writes is checked if a write has failed, or if the check is thorough.
   */
  ping(isThorough?: boolean): Promise<void>
  close(): Promise<void>
}

export interface SchemaSession {
  transaction<T>(work: () => DbWork<T>): Promise<T>
  /**
   * Builds an index that does not exist, outside a transaction. PostgreSQL does not block writers meanwhile, and rebuilds
   * the index of an interrupted build.
   */
  buildIndex(index: IndexDefinition): Promise<void>
  /** Saves a copy of the database beside it. Absent on PostgreSQL, which has tools of its own for that. */
  saveCopy?(schema: number, now: number, report: (text: string) => void): Promise<SavedCopy>
}

/** A copy of the database as it was before a migration. */
export interface SavedCopy {
  /** It is not needed, because nothing was changed. */
  remove(): void
  /** Older copies are not needed any more. */
  removeOlder(): void
}

export interface IndexDefinition {
  readonly name: string
  /** Table and columns in SQL: `events (org_id, id desc) where sent_at is null`. */
  readonly on: string
  readonly unique?: boolean
}

export interface Watcher {
  /** While false, nothing is sent or received for it. */
  isActive(): boolean
  notify(notices: readonly ChangeNotice[]): void
  connectionLost(): void
}

export interface Lock {
  release(): Promise<void>
}

export interface NodeRegistry {
  /** Adds a node. */
  join(node: string, process: string | null): Promise<void>
  /** Renews the row of a node and reads all nodes, in one statement. */
  renew(node: string, monitors: number): Promise<Renewal>
}

export interface Renewal {
  /** False if the node was removed. */
  readonly isMember: boolean
  readonly members: readonly Member[]
}

/** A node of the installation. */
export interface Member {
  readonly name: string
  /** By the database's clock. */
  readonly renewedAt: number
  /** The operating system's process (see nodes/local-process.ts). */
  readonly process: string | null
  /** How many monitors the node checks. */
  readonly monitors: number
}

export interface RateLimiter {
  /**
   * Looks up the API key and counts the request in one step: by key and organization if it is valid, else by address. The
   * caller decides whether a count exceeds its quota.
   */
  countRequest(keyHash: string | undefined, address: string): Promise<CountedRequest>
  /** Deletes expired windows and returns their number. */
  prune(): Promise<number>
}

export interface RequestCount {
  /** Requests in the current window, including this one. */
  readonly used: number
  readonly resetsInMs: number
}

/** The count of the key or the address. */
export interface CountedRequest extends RequestCount {
  readonly caller: KeyCaller | undefined
  /** Of all keys of the organization. Undefined without a key, and for requests beyond the key's own quota, which do not count. */
  readonly organization: RequestCount | undefined
}

/** The sender of a request: an API key or a signed-in user. */
export type Caller = KeyCaller | UserCaller

interface CallerOrganization {
  readonly orgId: string
  readonly orgSlug: string
  readonly plan: string
  readonly subscription: 'active' | 'inactive'
}

/** A valid API key. */
export interface KeyCaller extends CallerOrganization {
  readonly keyId: string
  readonly keyName: string
  readonly access: 'full' | 'read-only'
}

/** A signed-in member of the organization. */
export interface UserCaller extends CallerOrganization {
  readonly userId: string
  readonly userName: string
  readonly role: Role
}

export interface RateLimit {
  readonly quota: number
  readonly windowMs: number
}

/** A row with the same unique key exists. */
export class UniqueViolation extends Error {
  override name = 'UniqueViolation'
}

/** A statement would have stored null in a column that must have a value. */
export class NotNullViolation extends Error {
  override name = 'NotNullViolation'
}

/** The database cannot be used; the message says what the operator can do. */
export class StorageUnusable extends Error {
  override name = 'StorageUnusable'
}
