import createClient from 'openapi-fetch'
import { type ApiFault, errorText } from '../lib/faults.ts'
import { t } from '../lib/i18n.ts'
import { loaded } from '../lib/reasons.ts'
import { RequestError } from './api-error.ts'
import { fetchAgain } from './fetch-again.ts'
import type { components as AppComponents, paths as AppPaths } from './generated/app.d.ts'
import type { components as PublicComponents, paths as PublicPaths } from './generated/public.d.ts'

export type { AppPaths, PublicPaths }

/** Schemas of the public API and of the dashboard's own operations, by name. */
export type PublicSchemas = PublicComponents['schemas']
export type AppSchemas = AppComponents['schemas']

type Parameters<Operation> = Operation extends { parameters: infer Given }
  ? Pick<Given, keyof Given & ('path' | 'query')>
  : unknown

type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Given } } }
  ? { body: Given }
  : Operation extends { requestBody?: { content: { 'application/json': infer Given } } }
    ? { body?: Given }
    : unknown

/** What an operation takes. */
export type Input<Operation> = Parameters<Operation> & Body<Operation> & Pick<RequestInit, 'signal' | 'keepalive'>

/** What an operation returns; undefined without a body. */
export type Answer<Operation> = Operation extends { responses: infer Responses }
  ? {
      [Status in keyof Responses]: Responses[Status] extends { content: infer Content } ? JsonOf<Content> : never
    }[keyof Responses]
  : never
type JsonOf<Content> = Content extends { 'application/json': infer Found } ? Found : undefined

/** The paths that have an operation of the method. */
export type PathsWith<Paths, Method extends string> = {
  [Path in keyof Paths]: Paths[Path] extends Record<Method, object> ? Path : never
}[keyof Paths]

/** An operation without required input may be called without any. */
type Inputs<Operation> = object extends Input<Operation> ? [input?: Input<Operation>] : [input: Input<Operation>]

type Send<Paths, Method extends string> = <Path extends PathsWith<Paths, Method>>(
  path: Path,
  ...inputs: Inputs<Paths[Path][Method & keyof Paths[Path]]>
) => Promise<Answer<Paths[Path][Method & keyof Paths[Path]]>>

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Its methods return the data of a response, or throw a RequestError. */
type Client<Paths> = { readonly [Method in (typeof methods)[number]]: Send<Paths, Lowercase<Method>> }

export interface Clients {
  /** Operations of the public API, with the session. */
  readonly api: Client<PublicPaths>
  /** The dashboard's own operations. */
  readonly app: Client<AppPaths>
}

/** Clients bound to one organization. Without one, only operations on the user work. */
export function clientsFor(organizationId?: string): Clients {
  const headers = { 'X-Pharos-Organization': organizationId }
  return { api: clientAt('/app', headers), app: clientAt('', headers) }
}

interface GivenInput {
  readonly path?: object
  readonly query?: object
}

function clientAt<Paths>(baseUrl: string, headers: Record<string, string | undefined>): Client<Paths> {
  const querySerializer = { array: { style: 'form', explode: false } } as const
  const { request } = createClient({ baseUrl, headers, querySerializer, fetch: fetchAgain })
  const send = request as unknown as (method: string, url: string, init: object) => Promise<FetchResult>
  const senders = methods.map((method) => [
    method,
    (url: string, { path, query, ...rest }: GivenInput = {}) =>
      dataOf(send(method, url, { ...rest, params: { path, query } })),
  ])
  return Object.fromEntries(senders) as Client<Paths>
}

interface FetchResult {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/** Called when a request finds that the session has ended. */
let whenSignedOut: () => void = () => {}
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener
}

async function dataOf(request: Promise<FetchResult>): Promise<unknown> {
  const { data, error, response } = await request.catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new RequestError({
      code: 'unreachable',
      message: t('Can’t reach the server. Check that it is running, then try again.'),
      status: 0,
    })
  })
  if (response.ok) return data
  await loaded
  const envelope = (error as { error?: Omit<AppSchemas['Error']['error'], keyof ApiFault> & ApiFault } | undefined)
    ?.error
  const requestId = envelope?.requestId ?? response.headers.get('x-request-id')
  const problem = new RequestError({
    code: envelope?.code ?? 'unexpected',
    message: envelope
      ? errorText(envelope)
      : t('The server returned an error: {status} {statusText}', {
          status: response.status,
          statusText: response.statusText,
        }),
    status: response.status,
    requestId,
    details: envelope?.details,
  })
  if (response.status === 401) whenSignedOut()
  throw problem
}

/** For operations without an organization: sign-in, the user, sessions. */
export const { app: userApp } = clientsFor()
