import type { ClientAuth, Configuration } from 'openid-client'

type Client = typeof import('openid-client')

const PATIENCE_SECONDS = 10

export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  /** Absent for a public client, which PKCE guards alone. */
  readonly clientSecret: string | undefined
  /** What people call it. */
  readonly name: string
}

/** What has to come back with the answer, kept by the browser that asked. */
export interface OidcRequest {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Whom the provider says it is. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly email: string | undefined
  /** Whether the provider vouches for the address. */
  readonly emailVerified: boolean
  readonly name: string | undefined
}

export interface OidcProvider {
  readonly name: string
  /** Where to send the browser, and what to keep until it is back. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly request: OidcRequest }>
  /** Redeems what the browser came back with. Throws where it is not an answer to the errand. */
  finish(callback: URL, errand: OidcRequest): Promise<Claims>
}

/** It cannot be reached, or does not say what a provider says. */
export class ProviderUnavailable extends Error {
  override name = 'ProviderAway'
}

/** Nothing is asked of the provider before somebody wants to sign in: its being away stops no start. */
export function openOidc({ issuer, clientId, clientSecret, name }: OidcSettings): OidcProvider {
  let found: Promise<Configuration> | undefined
  const discover = async (): Promise<Configuration> => {
    const client = await import('openid-client')
    const isPlain = issuer.startsWith('http:')
    // The signature is looked at although the token comes from the provider itself: not every way there is sealed.
    const execute = [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])]
    const options = { timeout: PATIENCE_SECONDS, execute }
    return client.discovery(new URL(issuer), clientId, undefined, authenticate(client, clientSecret), options)
  }
  const provider = (): Promise<Configuration> => {
    found ??= discover().catch((error) => {
      found = undefined
      throw new ProviderUnavailable(`${issuer} does not answer as a provider (${(error as Error).message})`, {
        cause: error,
      })
    })
    return found
  }
  return {
    name,
    async begin(redirectUri) {
      const [client, config] = [await import('openid-client'), await provider()]
      const errand = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      }
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state: errand.state,
        nonce: errand.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(errand.verifier),
        code_challenge_method: 'S256',
      })
      return { url: url.href, request: errand }
    },
    async finish(callback, errand) {
      const [client, config] = [await import('openid-client'), await provider()]
      return redeem(client, config, callback, errand).catch((error) => {
        throw isAway(error)
          ? new ProviderUnavailable(`${issuer} does not answer (${(error as Error).message})`, { cause: error })
          : error
      })
    },
  }
}

async function redeem(client: Client, config: Configuration, callback: URL, errand: OidcRequest): Promise<Claims> {
  const tokens = await client.authorizationCodeGrant(config, callback, {
    expectedState: errand.state,
    expectedNonce: errand.nonce,
    pkceCodeVerifier: errand.verifier,
    idTokenExpected: true,
  })
  const token = tokens.claims()
  if (token === undefined) throw new Error('The provider gave no ID token')
  const isSilent = token.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
  const more = isSilent ? await client.fetchUserInfo(config, tokens.access_token, token.sub) : token
  const { email, email_verified: verified, name } = more
  return {
    issuer: token.iss,
    subject: token.sub,
    email: typeof email === 'string' ? email : undefined,
    emailVerified: verified === true,
    name: typeof name === 'string' ? name : undefined,
  }
}

function isAway(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: unknown }
  const isBroken = cause instanceof Response && cause.status >= 500
  return isBroken || code === 'OAUTH_TIMEOUT' || error instanceof TypeError
}

/** The way that the provider takes; that of the standard where it does not say. */
function authenticate(client: Client, secret: string | undefined): ClientAuth {
  if (secret === undefined) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const ways = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (ways.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}
