import createClient, { type Client } from 'openapi-fetch'
import { t } from '../lib/i18n.ts'
import { readableError } from '../lib/labels.ts'
import { RequestError } from './api-error.ts'
import { fetchAgain } from './fetch-again.ts'
import type { components as AppComponents, paths as AppPaths } from './generated/app.d.ts'
import type { components as PublicComponents, paths as PublicPaths } from './generated/public.d.ts'

/** Schemas of the public API and of the dashboard's own operations, by name. */
export type PublicSchemas = PublicComponents['schemas']
export type AppSchemas = AppComponents['schemas']

export interface Clients {
  /** Operations of the public API, with the session. */
  readonly api: Client<PublicPaths>
  /** The dashboard's own operations. */
  readonly app: Client<AppPaths>
}

/** Clients bound to one organization. Without one, only operations on the user work. */
export function clientsFor(organizationId?: string): Clients {
  const headers = organizationId === undefined ? {} : { 'X-Pharos-Organization': organizationId }
  const shared = { headers, fetch: fetchAgain, querySerializer: { array: { style: 'form', explode: false } } } as const
  return {
    api: createClient<PublicPaths>({ ...shared, baseUrl: '/app' }),
    app: createClient<AppPaths>({ ...shared, baseUrl: '' }),
  }
}

interface FetchResult<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** Called when a request finds that the session has ended. */
let whenSignedOut: () => void = () => {}
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener
}

/** Returns the data of a response, or throws a RequestError. */
export async function unwrap<T>(request: Promise<FetchResult<T>>): Promise<T> {
  const { data, error, response } = await request.catch((cause: unknown): never => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause
    throw new RequestError({
      code: 'unreachable',
      message: t('Can’t reach the server. Check that it is running, then try again.'),
      status: 0,
    })
  })
  if (response.ok) return data as T
  const envelope = (error as { error?: AppSchemas['Error']['error'] } | undefined)?.error
  const requestId = envelope?.requestId ?? response.headers.get('x-request-id')
  const problem = new RequestError({
    code: envelope?.code ?? 'unexpected',
    message: envelope
      ? readableError(envelope.message, envelope.details)
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
