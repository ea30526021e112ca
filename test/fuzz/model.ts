import type { DescribedOperation } from './schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer as it came, to be looked at
export type Body = any

/** A request that creates a resource for later cases. */
export interface NextRequest {
  readonly operation: string
  readonly path: string
  readonly body?: string
  /** The resource that it refers to. */
  readonly id?: string
}

/** The expected state of one kind of resource in a lane. */
export interface Model {
  /** The number of resources by the path of their list, including those that cases no longer use. */
  readonly live: Readonly<Record<string, number>>
  /** The id that a case refers to; undefined if the operation concerns another kind. */
  target(operation: DescribedOperation, nth: number): string | undefined
  /** The status with which a valid request must be refused; undefined if it must succeed. */
  refusal(operation: string, id: string | undefined): number | undefined
  follow(operation: string, id: string | undefined, body: Body): void
  /** The next creation needed; undefined if there are enough resources. */
  wanted(): NextRequest | undefined
}
