import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listener.ts'

export const CLIENT = { id: 'pharos', secret: 'a secret: with % and more' }

/** Tests change it. */
interface ProviderBehaviour {
  /** Of the user who is signed in at the provider. */
  claims: Record<string, unknown>
  alg: 'RS256' | 'ES256'
  /** Overrides claims of the ID token. */
  token: Record<string, unknown>
  /** Signs ID tokens with an unpublished key. */
  signsWithUnknownKey: boolean
  /** Leaves the address out of the ID token. */
  claimsInUserinfoOnly: boolean
  /** The `error` parameter of the callback. */
  callbackError: string | undefined
  isUnreachable: boolean
}

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  readonly behaviour: ProviderBehaviour
  /** Requests of the discovery document. */
  discoveries: number
}

interface Grant {
  readonly challenge: string
  readonly nonce: string | null
  readonly redirectUri: string
}

interface Signer {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const makers = {
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
}

const signerOf = (alg: keyof typeof makers, kid: string): Signer => ({ kid, ...makers[alg]() })
const newSigners = () => ({ RS256: signerOf('RS256', 'rsa'), ES256: signerOf('ES256', 'ec') })

/** Of all providers in this process: making an RSA key takes up to half a second. */
let signers: Record<'published' | 'hidden', Record<keyof typeof makers, Signer>> | undefined

/** A minimal OpenID Connect provider: code flow with PKCE, without user interaction. */
export async function startOidcProvider(port = 0): Promise<OidcProvider> {
  const behaviour: ProviderBehaviour = {
    claims: { sub: 'subject-1', email: 'owner@example.com', email_verified: true, name: 'Ada' },
    alg: 'RS256',
    token: {},
    signsWithUnknownKey: false,
    claimsInUserinfoOnly: false,
    callbackError: undefined,
    isUnreachable: false,
  }
  signers ??= { published: newSigners(), hidden: newSigners() }
  const { published, hidden } = signers
  const grants = new Map<string, Grant>()
  let issuer = ''

  const idToken = (nonce: string | null): string => {
    const seconds = Math.floor(Date.now() / 1000)
    const { sub, ...profile } = behaviour.claims
    const fixed = { iss: issuer, aud: CLIENT.id, sub, iat: seconds, exp: seconds + 60, ...(nonce && { nonce }) }
    const claims = { ...fixed, ...(behaviour.claimsInUserinfoOnly ? {} : profile), ...behaviour.token }
    const { kid, privateKey } = (behaviour.signsWithUnknownKey ? hidden : published)[behaviour.alg]
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const body = `${part({ alg: behaviour.alg, kid, typ: 'JWT' })}.${part(claims)}`
    const signature = sign('sha256', Buffer.from(body), { key: privateKey, dsaEncoding: 'ieee-p1363' })
    return `${body}.${signature.toString('base64url')}`
  }

  const routes: Record<string, (url: URL, request: IncomingMessage, response: ServerResponse) => unknown> = {
    '/.well-known/openid-configuration': (_url, _request, response) => {
      provider.discoveries += 1
      json(response, 200, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        userinfo_endpoint: `${issuer}/userinfo`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256', 'ES256'],
        subject_types_supported: ['public'],
      })
    },
    '/jwks': (_url, _request, response) => {
      const keys = Object.entries(published).map(([alg, { kid, publicKey }]) => {
        return { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
      })
      json(response, 200, { keys })
    },
    '/authorize': ({ searchParams: asked }, _request, response) => {
      const back = new URL(asked.get('redirect_uri') as string)
      back.searchParams.set('state', asked.get('state') ?? '')
      if (behaviour.callbackError !== undefined) back.searchParams.set('error', behaviour.callbackError)
      else {
        const code = randomBytes(16).toString('hex')
        const challenge = asked.get('code_challenge') as string
        const [nonce, redirectUri] = [asked.get('nonce'), asked.get('redirect_uri') as string]
        grants.set(code, { challenge, nonce, redirectUri })
        back.searchParams.set('code', code)
      }
      response.writeHead(302, { location: back.href }).end()
    },
    '/token': async (_url, request, response) => {
      const form = new URLSearchParams(await textOf(request))
      const code = form.get('code') ?? ''
      const grant = grants.get(code)
      grants.delete(code)
      const verifier = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url')
      const isSound = grant?.challenge === verifier && grant.redirectUri === form.get('redirect_uri')
      if (!isClient(request.headers.authorization)) return json(response, 401, { error: 'invalid_client' })
      if (!isSound) return json(response, 400, { error: 'invalid_grant' })
      json(response, 200, { access_token: 'access', token_type: 'Bearer', id_token: idToken(grant.nonce) })
    },
    '/userinfo': (_url, _request, response) => json(response, 200, behaviour.claims),
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url as string, 'http://localhost')
    const route = behaviour.isUnreachable ? undefined : routes[url.pathname]
    if (route === undefined) json(response, 503, { error: 'away' })
    else void route(url, request, response)
  })
  const listener = await listen(server, '127.0.0.1', port)
  issuer = `http://127.0.0.1:${listener.port}`
  const provider: OidcProvider = {
    issuer,
    behaviour,
    discoveries: 0,
    [Symbol.asyncDispose]: () => listener[Symbol.asyncDispose](),
  }
  return provider
}

/** By HTTP Basic, both parts encoded as in a form (RFC 6749, 2.3.1). */
function isClient(authorization: string | undefined): boolean {
  const text = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64').toString()
  const [id, secret] = text.split(':').map((part) => decodeURIComponent(part.replaceAll('+', ' ')))
  return id === CLIENT.id && secret === CLIENT.secret
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += chunk
  return text
}
