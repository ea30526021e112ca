import type { paths } from './generated/schema.ts'
import type { List } from './list.ts'
import type { RequestOptions } from './transport.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The paths below /api/v1 that have an operation for the method. */
export type PathOf<M extends HttpMethod> = {
  [P in keyof paths]: paths[P] extends Record<Lowercase<M>, object>
    ? P extends `/api/v1${infer Rest}`
      ? Rest
      : never
    : never
}[keyof paths]

type OperationAt<M extends HttpMethod, P extends string> = `/api/v1${P}` extends keyof paths
  ? paths[`/api/v1${P}`] extends Record<Lowercase<M>, infer O>
    ? O
    : never
  : never

type Content<T> = T extends { content: { 'application/json': infer C } } ? C : string

/** What an operation returns. */
export type AnswerOf<M extends HttpMethod, P extends string> =
  OperationAt<M, P> extends { responses: infer R } ? { [S in keyof R]: Content<R[S]> }[keyof R] : never

/** What an operation takes as JSON. */
export type BodyOf<M extends HttpMethod, P extends string> =
  OperationAt<M, P> extends { requestBody?: infer B } ? Content<NonNullable<B>> : undefined

export type QueryOf<M extends HttpMethod, P extends string> =
  OperationAt<M, P> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : Record<string, never>

type ParametersOf<P extends string> = P extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [N in Name]: string } & ParametersOf<Rest>
  : unknown

/** The parameters of a path that has some. */
export type ParamsInput<P extends string> = P extends `${string}{${string}`
  ? { readonly params: ParametersOf<P> }
  : { readonly params?: never }

/** The body, which is required if the document requires it. */
export type BodyInput<M extends HttpMethod, P extends string> =
  OperationAt<M, P> extends { requestBody: object }
    ? { readonly body: BodyOf<M, P> }
    : OperationAt<M, P> extends { requestBody?: infer B }
      ? { readonly body?: Content<NonNullable<B>> }
      : { readonly body?: never }

/** One string for each parameter of the path. */
type Ids<P extends string> = P extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : []

/**
 * How a method calls an operation:
 * - `list` takes a query and returns a List
 * - `get` takes nothing but ids, `find` also a query
 * - `send` takes a body
 * - `act` takes nothing but ids, and sends an empty body if the operation has one
 * - `upload` takes the content of files and a query
 *
 * A kind or method without a function below gets one with its first operation.
 */
type Kind = 'list' | 'get' | 'find' | 'send' | 'act' | 'upload'

export interface Endpoint<K extends Kind = Kind, M extends HttpMethod = HttpMethod, P extends string = string> {
  readonly kind: K
  readonly method: M
  readonly path: P
  /** For operations that take longer than others. */
  readonly timeoutMs?: number
  /** Answers with a text instead of JSON. */
  readonly isText?: boolean
}

export const list = <P extends PathOf<'GET'>>(path: P): Endpoint<'list', 'GET', P> => {
  return { kind: 'list', method: 'GET', path }
}

export const get = <P extends PathOf<'GET'>>(path: P): Endpoint<'get', 'GET', P> => {
  return { kind: 'get', method: 'GET', path }
}

/** Like `get`, for an operation that answers with a text. */
export const getText = <P extends PathOf<'GET'>>(path: P): Endpoint<'get', 'GET', P> => {
  return { kind: 'get', method: 'GET', path, isText: true }
}

export const find = <P extends PathOf<'GET'>>(path: P): Endpoint<'find', 'GET', P> => {
  return { kind: 'find', method: 'GET', path }
}

export const post = <P extends PathOf<'POST'>>(path: P, timeoutMs?: number): Endpoint<'send', 'POST', P> => {
  return { kind: 'send', method: 'POST', path, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

export const patch = <P extends PathOf<'PATCH'>>(path: P): Endpoint<'send', 'PATCH', P> => {
  return { kind: 'send', method: 'PATCH', path }
}

export const put = <P extends PathOf<'PUT'>>(path: P): Endpoint<'send', 'PUT', P> => {
  return { kind: 'send', method: 'PUT', path }
}

export const remove = <P extends PathOf<'DELETE'>>(path: P): Endpoint<'act', 'DELETE', P> => {
  return { kind: 'act', method: 'DELETE', path }
}

/** PUT without a body: makes something so, however often it is called. */
export const ensure = <P extends PathOf<'PUT'>>(path: P): Endpoint<'act', 'PUT', P> => {
  return { kind: 'act', method: 'PUT', path }
}

export const act = <P extends PathOf<'POST'>>(path: P, timeoutMs?: number): Endpoint<'act', 'POST', P> => {
  return { kind: 'act', method: 'POST', path, ...(timeoutMs === undefined ? {} : { timeoutMs }) }
}

export const upload = <P extends PathOf<'POST'>>(path: P, timeoutMs: number): Endpoint<'upload', 'POST', P> => {
  return { kind: 'upload', method: 'POST', path, timeoutMs }
}

type ItemOf<A> = A extends { data: readonly (infer Item)[] } ? Item : never

/** The method that calls an endpoint. */
export type MethodOf<E> =
  E extends Endpoint<infer K, infer M, infer P>
    ? K extends 'list'
      ? (...args: [...Ids<P>, query?: QueryOf<M, P>, options?: RequestOptions]) => List<ItemOf<AnswerOf<M, P>>>
      : K extends 'find'
        ? (...args: [...Ids<P>, query?: QueryOf<M, P>, options?: RequestOptions]) => Promise<AnswerOf<M, P>>
        : K extends 'send'
          ? (...args: [...Ids<P>, body: BodyOf<M, P>, options?: RequestOptions]) => Promise<AnswerOf<M, P>>
          : K extends 'upload'
            ? (...args: [content: Blob, query: QueryOf<M, P>, options?: RequestOptions]) => Promise<AnswerOf<M, P>>
            : (...args: [...Ids<P>, options?: RequestOptions]) => Promise<AnswerOf<M, P>>
    : never
