import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { expectAsDescribed } from './app-contract.ts'
import type { Engine } from './engines.ts'
import { type Answer, bodyOf, startTestServer, type TestServer, type TestServerOptions } from './server.ts'

export const PASSWORD = 'correct horse battery'

/** A client of the dashboard API that behaves like a browser. Every answer is checked against openapi-app.json. */
export class Person {
  readonly #url: string
  /** The session cookie, as `name=value`. */
  cookie: string | undefined
  /** The cookie of a browser that has signed in before, as `name=value`. */
  knownBrowser: string | undefined
  /** Sent as X-Pharos-Organization. */
  organization: string | undefined
  /** Sent with every request; override the browser's headers. */
  readonly headers: Record<string, string>

  constructor(server: Pick<TestServer, 'url'>, headers: Record<string, string> = {}) {
    this.#url = server.url
    this.headers = headers
  }

  /** Paths are below /app/api. */
  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const cookies = [this.cookie, this.knownBrowser].filter((cookie) => cookie !== undefined).join('; ')
    const response = await fetch(`${this.#url}/app/api${path}`, {
      method,
      headers: {
        origin: this.#url,
        'sec-fetch-site': 'same-origin',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookies === '' ? {} : { cookie: cookies }),
        ...(this.organization === undefined ? {} : { 'x-pharos-organization': this.organization }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    for (const set of response.headers.getSetCookie()) {
      const value = /Max-Age=0/.test(set) ? undefined : set.split(';', 1)[0]
      if (/^[\w-]*-browser=/.test(set)) this.knownBrowser = value
      else this.cookie = value
    }
    const text = await response.text()
    assert.match(response.headers.get('x-request-id') ?? '', /^req_/)
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    const isJson = response.headers.get('content-type')?.startsWith('application/json') !== false
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    expectAsDescribed(method, path, answer)
    return answer
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path)
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.send('POST', path, body)
  }

  patch(path: string, body?: unknown): Promise<Answer> {
    return this.send('PATCH', path, body)
  }

  put(path: string, body?: unknown): Promise<Answer> {
    return this.send('PUT', path, body)
  }

  delete(path: string): Promise<Answer> {
    return this.send('DELETE', path)
  }

  /** The id of the signed-in user. */
  async userId(): Promise<string> {
    return (await this.get('/me')).body.user.id
  }

  /** The newest actions in the audit log, the latest first. */
  async actions(limit: number): Promise<string[]> {
    const { data } = (await this.get(`/v1/audit-log?limit=${limit}`)).body
    return data.map(({ action }: { action: string }) => action)
  }

  async signIn(email: string, password = PASSWORD): Promise<Answer> {
    return this.post('/sign-in', { email, password })
  }
}

/** Uses the setup link; returns the signed-in owner. */
export async function claim(server: TestServer, email = 'owner@example.com'): Promise<Person> {
  const owner = new Person(server)
  const token = server.setupToken
  const answer = await owner.post('/setup', { token, email, password: PASSWORD, organizationName: 'Acme' })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return owner
}

export interface TestInstallation {
  readonly server: TestServer
  readonly owner: Person
  /** Signs the owner in with a new browser. */
  signInOwner(headers?: Record<string, string>): Promise<Person>
}

export const OWNER = 'owner@example.com'

/** An installation with an owner for the tests of the suite, on a node with the role `api` only. */
export function useInstallation(engine: Engine, { env, ...options }: TestServerOptions = {}): TestInstallation {
  let server: TestServer | undefined
  let owner: Person | undefined
  before(async () => {
    server = await startTestServer(engine, { ...options, env: { PHAROS_ROLES: 'api', ...env } })
    owner = await claim(server, OWNER)
  })
  after(() => server?.stop())
  return {
    get server() {
      return server as TestServer
    },
    get owner() {
      return owner as Person
    },
    async signInOwner(headers = {}) {
      const person = new Person(server as TestServer, headers)
      assert.equal((await person.signIn(OWNER)).status, 200)
      return person
    },
  }
}

/** Creates a user who accepts an invitation of the owner, or of `by`. */
export async function joinByInvitation(
  installation: Pick<TestInstallation, 'server' | 'owner'>,
  email: string,
  role: string,
  by = installation.owner,
  name?: string,
): Promise<Person> {
  const { status, body } = await by.post('/invitations', { role })
  assert.equal(status, 201, JSON.stringify(body))
  const person = new Person(installation.server)
  const account = { token: tokenIn(body.link), email, password: PASSWORD, ...(name !== undefined && { name }) }
  const answer = await person.post('/invitations/accept', account)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return person
}

/** Creates a monitor of the owner's organization; returns its id. */
export async function makeMonitor({ owner }: TestInstallation, name: string, fields: object = {}): Promise<string> {
  const settings = { name, type: 'HTTP', url: 'https://example.com/', ...fields }
  return bodyOf(await owner.post('/v1/monitors', settings), 201).id
}

export function tokenIn(link: string): string {
  return new URL(link).searchParams.get('token') as string
}
