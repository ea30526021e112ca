import type { ClientAuth, Configuration, CustomFetch } from 'openid-client'
import { MAX_FOREIGN_CHARS } from '../lib/foreign-work.ts'
import { OutboundError } from './errors.ts'
import { fetchResponse } from './fetch-response.ts'
import { createGuard, type Guard } from './guard.ts'
import type { HttpResponse } from './http-connection.ts'

type Client = typeof import('openid-client')

const TIMEOUT_SECONDS = 10

export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  /** Absent for a public client, which relies on PKCE alone. */
  readonly clientSecret: string | undefined
  /** Shown on the sign-in button. */
  readonly name: string
}

/** Secrets of one sign-in, kept by the browser until the provider redirects back. */
export interface OidcRequest {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The user, according to the provider. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  /** Whether the provider says that it verified the address. */
  readonly emailVerified: boolean
  readonly name: string | undefined
}

export interface OidcProvider {
  readonly name: string
  /** The address to redirect the browser to, and what to keep until it is back. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly request: OidcRequest }>
  /** Redeems the code of the callback. Throws when the callback does not belong to the request. */
  finish(callback: URL, request: OidcRequest): Promise<Claims>
}

/** The provider cannot be reached, or its response is not that of an OpenID provider. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderUnavailable'
}

/** Discovers the provider at the first sign-in, so the server also starts while the provider is down. */
export function openOidc({ issuer, clientId, clientSecret, name }: OidcSettings): OidcProvider {
  // The operator has chosen the provider, which may have a private address.
  const fetch = boundedFetch(createGuard({ policy: 'allow' }))
  let configuration: Promise<Configuration> | undefined
  const discover = async (): Promise<Configuration> => {
    const client = await import('openid-client')
    const isPlain = issuer.startsWith('http:')
    // Verifies the signature of the ID token although it comes from the provider itself: plain HTTP issuers are allowed.
    const execute = [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])]
    const options = { timeout: TIMEOUT_SECONDS, execute, [client.customFetch]: fetch }
    return client.discovery(new URL(issuer), clientId, undefined, authenticate(client, clientSecret), options)
  }
  const provider = (): Promise<Configuration> => {
    configuration ??= discover().catch((error) => {
      configuration = undefined
      throw new ProviderUnavailable(`${issuer} does not answer as a provider (${(error as Error).message})`, {
        cause: error,
      })
    })
    return configuration
  }
  return {
    name,
    async begin(redirectUri) {
      const [client, config] = [await import('openid-client'), await provider()]
      const request = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: request.state,
        nonce: request.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(request.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, request }
    },
    async finish(callback, request) {
      const [client, config] = [await import('openid-client'), await provider()]
      return redeem(client, config, callback, request).catch((error) => {
        throw isUnavailable(error)
          ? new ProviderUnavailable(`${issuer} does not answer (${(error as Error).message})`, { cause: error })
          : error
      })
    },
  }
}

/** Like `fetch`, with the limits of every outgoing request. */
function boundedFetch(guard: Guard): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    try {
      const request = { url, method: method as 'GET' | 'POST', headers, body: String(body ?? '') }
      const options = { guard, timeoutMs: TIMEOUT_SECONDS * 1000, signal, maxBytes: MAX_FOREIGN_CHARS }
      const response = await fetchResponse(request, options)
      const content = response.body.length === 0 ? null : new Uint8Array(response.body)
      return new Response(content, { status: response.status, headers: headersOf(response) })
    } catch (error) {
      // The library expects the error that fetch throws.
      throw error instanceof OutboundError ? new TypeError(error.message, { cause: error }) : error
    }
  }
}

function headersOf({ headers }: HttpResponse): Headers {
  const all = new Headers()
  for (const [name, values = []] of Object.entries(headers)) {
    for (const value of [values].flat()) all.append(name, value)
  }
  return all
}

async function redeem(client: Client, config: Configuration, callback: URL, request: OidcRequest): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(config, callback, {
    expectedState: request.state,
    expectedNonce: request.nonce,
    pkceCodeVerifier: request.verifier,
    idTokenExpected: true,
  })
  const token = tokens.claims()
  if (token === undefined) throw new Error('The provider gave no ID token')
  const lacksEmail = token.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
  const claims = lacksEmail ? await client.fetchUserInfo(config, tokens.access_token, token.sub) : token
  const { email, email_verified: verified, name } = claims
  return {
    issuer: token.iss,
    subject: token.sub,
    email: typeof email === 'string' ? email : undefined,
    emailVerified: verified === true,
    name: typeof name === 'string' ? name : undefined,
  }
}

function isUnavailable(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const isServerError = cause instanceof Response && cause.status >= 500
  return isServerError || code === 'OAUTH_TIMEOUT' || error instanceof TypeError
}

/** The first supported method; client_secret_basic, the default of the standard, when the provider lists none. */
function authenticate(client: Client, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
