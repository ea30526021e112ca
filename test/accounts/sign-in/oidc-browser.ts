import assert from 'node:assert/strict'
import { Person } from '../../support/person.ts'
import type { TestServer } from '../../support/server.ts'

/** A browser that walks to the provider and back, and can be stopped on the way. */
export class Walker {
  readonly #server: TestServer
  readonly cookies = new Map<string, string>()

  constructor(server: TestServer) {
    this.#server = server
  }

  /** One step; where it leads is not gone to. */
  async step(url: string): Promise<{ status: number; location: string; setCookies: string[] }> {
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

  /** To the provider and back to our door, but not through it: the address of the callback. */
  async fetchAnswer(next?: string): Promise<string> {
    const start = await this.step(`/app/api/oidc/start${next === undefined ? '' : `?next=${encodeURIComponent(next)}`}`)
    assert.equal(start.status, 302)
    return (await this.step(start.location)).location
  }

  /** All the way; where it ends. */
  async walk(next?: string): Promise<string> {
    const end = await this.step(await this.fetchAnswer(next))
    assert.equal(end.status, 302)
    return end.location
  }

  /** The same browser, in the dashboard. */
  person(): Person {
    const person = new Person(this.#server)
    const token = this.cookies.get('pharos')
    person.cookie = token && `pharos=${token}`
    return person
  }
}
