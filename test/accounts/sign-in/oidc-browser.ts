import assert from 'node:assert/strict'
import { Person } from '../../support/person.ts'
import type { TestServer } from '../../support/server.ts'

/** Follows the redirects of an OIDC sign-in one at a time. */
export class OidcBrowser {
  readonly #server: TestServer
  readonly cookies = new Map<string, string>()

  constructor(server: TestServer) {
    this.#server = server
  }

  /** One request; does not follow the redirect. */
  async request(url: string): Promise<{ status: number; location: string; setCookies: string[] }> {
    const isOurs = url.startsWith('/') || new URL(url).port === new URL(this.#server.url).port
    const target = new URL(url, this.#server.url)
    if (isOurs) target.hostname = '127.0.0.1'
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(target, {
      redirect: 'manual',
      headers: isOurs && cookie !== '' ? { cookie } : {},
    })
    await response.body?.cancel()
    const setCookies = isOurs ? response.headers.getSetCookie() : []
    for (const set of setCookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/Max-Age=0/.test(set)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return { status: response.status, location: response.headers.get('location') ?? '', setCookies }
  }

  /** Goes to the provider and returns the callback URL without opening it. */
  async getCallbackUrl(next?: string): Promise<string> {
    const start = await this.request(
      `/app/api/oidc/start${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`,
    )
    assert.equal(start.status, 302)
    return (await this.request(start.location)).location
  }

  /** The whole sign-in; returns the final location. */
  async signIn(next?: string): Promise<string> {
    const end = await this.request(await this.getCallbackUrl(next))
    assert.equal(end.status, 302)
    return end.location
  }

  /** A client of the dashboard API with this browser's session. */
  person(): Person {
    const person = new Person(this.#server)
    const token = this.cookies.get('pharos')
    person.cookie = token && `pharos=${token}`
    return person
  }
}
