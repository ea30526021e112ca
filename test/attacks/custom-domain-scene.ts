import assert from 'node:assert/strict'
import { MINUTE_MS } from '../../src/lib/clock.ts'
import { fetchPage } from '../publishing/public-site/fixtures.ts'
import { HandClock } from '../support/clock.ts'
import { type DnsAnswer, type DnsServer, NXDOMAIN, startDnsServer } from '../support/dns-server.ts'
import type { Engine } from '../support/engines.ts'
import { eventually } from '../support/eventually.ts'
import { claim, OWNER, type Person } from '../support/person.ts'
import { bodyOf, type Client, startTestServer, type TestServer } from '../support/server.ts'

export const BASE = 'pharos.example'

/** An installation with open sign-up, a DNS server whose records the test sets, and a clock that the test moves. */
export interface Scene extends AsyncDisposable {
  readonly server: TestServer
  readonly clock: HandClock
  readonly dns: DnsServer
  /** Records by `NAME TYPE`; a name without records does not exist. */
  readonly zone: Map<string, DnsAnswer>
  /** Replaces the answer to every question. */
  outage: DnsAnswer | undefined
  /** The owner of the organization `default`, signed in. */
  readonly owner: Person
  /** Another organization. */
  readonly stranger: Client
  /** The name of the page that is served on a host, or null if none is. */
  pageOn(host: string, headers?: Record<string, string>): Promise<string | null>
  /** What the dashboard shows of the domain of a page of `owner`. */
  // biome-ignore lint/suspicious/noExplicitAny: a JSON object from the API
  domainOf(pageId: string): Promise<any>
}

export async function startScene(engine: Engine, env: Record<string, string> = {}): Promise<Scene> {
  const zone = new Map<string, DnsAnswer>()
  const clock = new HandClock()
  const dns = await startDnsServer(({ name, type }) => {
    const key = `${name.toLowerCase()} ${type}`
    return scene.outage === undefined ? (zone.get(key) ?? NXDOMAIN) : scene.outage
  })
  const settings = {
    PHAROS_BASE_URL: `https://${BASE}`,
    PHAROS_OPEN_SIGNUP: 'true',
    PHAROS_ROLES: 'api,scheduler',
    PHAROS_DNS_SERVERS: dns.address,
    PHAROS_TRUST_PROXY: '127.0.0.1',
  }
  const server = await startTestServer(engine, { clock, env: { ...settings, ...env } })
  const owner = await claim(server)
  const scene: Scene = {
    server,
    clock,
    dns,
    zone,
    owner,
    outage: undefined,
    stranger: server.client((await server.organization('SELF_HOSTED')).key),
    async pageOn(host, headers = {}) {
      const { text } = await fetchPage(`${server.url}/`, { headers: { host, ...headers } })
      return /<h1><bdi>(.*?)<\/bdi><\/h1>/.exec(text)?.[1] ?? null
    },
    async domainOf(pageId) {
      const answer = await owner.get(`/v1/status-pages/${pageId}/domain`)
      if (answer.status !== 401) return answer.body
      // The clock was moved past the end of the session.
      assert.equal((await owner.signIn(OWNER)).status, 200)
      return (await owner.get(`/v1/status-pages/${pageId}/domain`)).body
    },
    async [Symbol.asyncDispose]() {
      await server.stop()
      await dns[Symbol.asyncDispose]()
    },
  }
  return scene
}

interface Proof {
  readonly name: string
  readonly value: string
}

export async function ownPage({ owner }: Scene, name: string, customDomain: string | null): Promise<string> {
  const { status, body } = await owner.post('/v1/status-pages', { name, customDomain })
  assert.equal(status, 201, JSON.stringify(body))
  assert.equal(body.customDomain, customDomain)
  return body.id
}

export async function strangersPage({ stranger }: Scene, name: string, customDomain: string | null): Promise<string> {
  return bodyOf(await stranger.post('/status-pages', { name, customDomain }), 201).id
}

/** The TXT record that the dashboard shows. */
export async function proofOf(scene: Scene, pageId: string): Promise<Proof> {
  const { records } = await scene.domainOf(pageId)
  return records.find(({ purpose }: { purpose: string }) => purpose === 'PROOF')
}

/** Waits until the worker has reached this state. */
export const untilState = (scene: Scene, pageId: string, state: string, isCheckFailed = false) =>
  eventually(async () => {
    const domain = await scene.domainOf(pageId)
    assert.deepEqual([domain.state, domain.checkError !== null], [state, isCheckFailed])
    assert.ok(domain.checkedAt !== null || isCheckFailed)
    return domain
  })

/** A page of `owner` that is verified by its TXT record. */
export async function verifiedPage(scene: Scene, name: string, domain: string): Promise<{ id: string; proof: Proof }> {
  const id = await ownPage(scene, name, domain)
  const proof = await proofOf(scene, id)
  // A check that is still running would be scheduled again by the advanced clock.
  await untilState(scene, id, 'WAITING')
  scene.zone.set(`${proof.name} TXT`, { records: [proof.value] })
  scene.clock.advance(2 * MINUTE_MS)
  await untilState(scene, id, 'VERIFIED')
  return { id, proof }
}
