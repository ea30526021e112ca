import type { Described } from './schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer as it came, to be looked at
export type Body = any

/** A request that brings something to meet. */
export interface Wanted {
  readonly operation: string
  readonly path: string
  readonly body?: string
  /** What it is about. */
  readonly id?: string
}

/** What a lane knows of one kind of resource. */
export interface Model {
  /** How many there are, by the path of their list; those included that are no longer met. */
  readonly live: Readonly<Record<string, number>>
  /** The id of what a case is about; undefined where the operation is about none of these. */
  target(operation: Described, nth: number): string | undefined
  /** The status with which the operation must be refused though the request is sound; undefined if it must not be. */
  refusal(operation: string, id: string | undefined): number | undefined
  follow(operation: string, id: string | undefined, body: Body): void
  /** What is to be asked next, so that there is enough to meet; undefined when there is. */
  wanted(): Wanted | undefined
}
