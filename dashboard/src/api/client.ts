import createClient, { type Client } from 'openapi-fetch'
import { RequestError } from './api-error.ts'
import type { components as AppComponents, paths as AppPaths } from './generated/app.d.ts'
import type { components as PublicComponents, paths as PublicPaths } from './generated/public.d.ts'

/** The schemas of the public API and of what only the dashboard has, by name. */
export type PublicSchemas = PublicComponents['schemas']
export type AppSchemas = AppComponents['schemas']

export interface Clients {
  /** The operations of the public API, in the name of whoever is signed in. */
  readonly api: Client<PublicPaths>
  /** What only the dashboard has. */
  readonly app: Client<AppPaths>
}

/** Clients that ask about one organization and no other; without one, only what concerns the user can be asked. */
export function clientsFor(organizationId?: string): Clients {
  const headers = organizationId === undefined ? {} : { 'X-Pharos-Organization': organizationId }
  const shared = { headers, querySerializer: { array: { style: 'form', explode: false } } } as const
  return {
    api: createClient<PublicPaths>({ ...shared, baseUrl: '/app' }),
    app: createClient<AppPaths>({ ...shared, baseUrl: '' }),
  }
}

interface Asked<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** Called once a request finds that nobody is signed in any more. */
let whenSignedOut: () => void = () => {}
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener
}

/** The answer of a request; throws the Problem that the server told, or that it could not be reached. */
export async function unwrap<T>(asked: Promise<Asked<T>>): Promise<T> {
  const { data, error, response } = await asked.catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new RequestError({
      code: 'unreachable',
      message: 'The server could not be reached. Is it running?',
      status: 0,
    })
  })
  if (response.ok) return data as T
  const told = (error as { error?: AppSchemas['Error']['error'] } | undefined)?.error
  const requestId = told?.requestId ?? response.headers.get('x-request-id')
  const problem = new RequestError({
    code: told?.code ?? 'unexpected',
    message: told?.message ?? `The server answered ${response.status} ${response.statusText}`,
    status: response.status,
    requestId,
    details: told?.details,
  })
  if (response.status === 401) whenSignedOut()
  throw problem
}

/** For what needs no organization: signing in, the user, their sessions. */
export const { app: userApp } = clientsFor()
