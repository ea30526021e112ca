import { after, before, beforeEach } from 'node:test'
import { HandClock } from '../../support/clock.ts'
import type { Engine } from '../../support/engines.ts'
import { CLIENT, type OidcProvider, startOidcProvider } from '../../support/oidc-provider.ts'
import { claim, OWNER, type Person, type TestInstallation } from '../../support/person.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

interface OidcInstallation extends TestInstallation {
  readonly provider: OidcProvider
  readonly clock: HandClock
}

/** An installation with an owner and an OIDC provider, whose behaviour is reset before every test. */
export function useProvider(engine: Engine, env: Record<string, string> = {}): OidcInstallation {
  const clock = new HandClock()
  let provider: OidcProvider | undefined
  let server: TestServer | undefined
  let owner: Person | undefined
  before(async () => {
    provider = await startOidcProvider()
    server = await startTestServer(engine, {
      clock,
      env: { PHAROS_ROLES: 'api', ...oidcSettings(provider.issuer), ...env },
    })
    owner = await claim(server, OWNER)
  })
  beforeEach(() => {
    Object.assign((provider as OidcProvider).behaviour, {
      claims: { sub: 'subject-1', email: OWNER, email_verified: true, name: 'Ada' },
      alg: 'RS256',
      token: {},
      signsWithUnknownKey: false,
      claimsInUserinfoOnly: false,
      callbackError: undefined,
      isUnreachable: false,
    })
  })
  after(async () => {
    await server?.stop()
    await provider?.[Symbol.asyncDispose]()
  })
  return {
    clock,
    get provider() {
      return provider as OidcProvider
    },
    get server() {
      return server as TestServer
    },
    get owner() {
      return owner as Person
    },
    signInOwner: () => Promise.reject(new Error('Not used by these tests')),
  }
}

export function oidcSettings(issuer: string): Record<string, string> {
  return { PHAROS_OIDC_ISSUER: issuer, PHAROS_OIDC_CLIENT_ID: CLIENT.id, PHAROS_OIDC_CLIENT_SECRET: CLIENT.secret }
}
