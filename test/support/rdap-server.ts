import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { ProbeTarget } from '../../src/contract/probe.ts'
import { createDomainTools, probeDomain } from '../../src/monitoring/monitor-types/domain/probe.ts'
import { parseAddressPolicy } from '../../src/outbound/address-policy.ts'
import { createGuard } from '../../src/outbound/guard.ts'
import { dnsResolver } from '../../src/outbound/name-resolver.ts'
import { targetOf } from '../monitoring/monitor-types/target.ts'
import { type Listener, listen, NXDOMAIN, never, startDns } from '../outbound/fixtures.ts'
import { HandClock } from './clock.ts'
import { type ShownSample, shownSample } from './reasons.ts'
import { startWhois, type WhoisServer } from './whois-server.ts'

/** Handles one request as the test needs. */
export type Respond = (response: ServerResponse, request: IncomingMessage) => void

export interface RdapServer extends Listener {
  /** The URL of the bootstrap list. */
  readonly bootstrap: string
  /** The requested names, in order. */
  readonly questions: string[]
  /** How often the list was fetched. */
  readonly lists: () => number
  /** Replies by name; a name without an entry is not registered. */
  readonly domains: Map<string, Respond>
  /** The reply for every name, if set. */
  everything: Respond | undefined
  /** The reply instead of the list, if set. */
  list: Respond | undefined
}

/** An RDAP server on loopback for the given top-level domains, and the bootstrap list with its address. */
export async function startRdap(tops: readonly string[] = ['test', 'uk']): Promise<RdapServer> {
  const questions: string[] = []
  let lists = 0
  const listener = await listen(
    http.createServer((request, response) => {
      if (request.url === '/dns.json') {
        lists += 1
        const { port } = rdap
        const body = {
          services: [
            [tops, [`http://127.0.0.1:${port}/rdap`]],
            [['void'], ['ftp://127.0.0.1/']],
          ],
        }
        return rdap.list === undefined ? response.end(JSON.stringify(body)) : rdap.list(response, request)
      }
      const name = /^\/rdap\/domain\/(.+)$/.exec(request.url ?? '')?.[1] ?? '(none)'
      questions.push(name)
      const respond = rdap.everything ?? rdap.domains.get(name) ?? notFound
      respond(response, request)
    }),
  )
  const rdap: RdapServer = {
    ...listener,
    bootstrap: `http://127.0.0.1:${listener.port}/dns.json`,
    questions,
    lists: () => lists,
    domains: new Map(),
    everything: undefined,
    list: undefined,
  }
  return rdap
}

export const notFound: Respond = (response) =>
  response.writeHead(404, { 'content-type': 'application/rdap+json' }).end('{"errorCode":404}')

export const status =
  (code: number, headers: http.OutgoingHttpHeaders = {}): Respond =>
  (response) =>
    response.writeHead(code, headers).end()

export const json =
  (value: unknown): Respond =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/rdap+json' }).end(JSON.stringify(value))

/** The RDAP response of a registered domain. */
export function domain(name: string, expires: string | null, more: object = {}): Respond {
  const events = [
    { eventAction: 'registration', eventDate: '2001-02-03T04:05:06Z' },
    { eventAction: 'last update of RDAP database', eventDate: '2026-01-01T00:00:00Z' },
    ...(expires === null ? [] : [{ eventAction: 'expiration', eventDate: expires }]),
  ]
  return json({ objectClassName: 'domain', ldhName: name.toUpperCase(), status: ['active'], events, ...more })
}

export interface Registries extends AsyncDisposable {
  readonly rdap: RdapServer
  readonly whois: WhoisServer
  readonly clock: HandClock
  /** Runs one DOMAIN probe; its caches persist between calls. */
  look(url: string | null, parts?: Partial<ProbeTarget>, signal?: AbortSignal): Promise<ShownSample>
}

/** RDAP and WHOIS servers, a DNS server that resolves every name below .test to loopback, and a clock at the start of 2026. */
export async function startRegistries({ policy = 'allow', whoisPort = 0 } = {}): Promise<Registries> {
  const stack = new AsyncDisposableStack()
  const rdap = stack.use(await startRdap())
  const whois = stack.use(await startWhois((question) => (question === 'test' ? 'whois: whois.nic.test' : 'No match')))
  const dns = stack.use(
    await startDns((name, type) =>
      !/\.(test|de)$/.test(name) ? NXDOMAIN : type === 'A' ? { records: ['127.0.0.1'] } : {},
    ),
  )
  const clock = new HandClock(Date.parse('2026-01-01T00:00:00Z'))
  const guard = createGuard({ policy: parseAddressPolicy(policy), resolver: dnsResolver(dns.resolver) })
  const root = { host: 'whois.root.test', port: whoisPort === 0 ? whois.port : whoisPort }
  const tools = createDomainTools({ guard, rdapBootstrap: rdap.bootstrap, whois: root }, clock)
  return {
    rdap,
    whois,
    clock,
    look: (url, parts = {}, signal = never) => shownSample(probeDomain(targetOf({ url, ...parts }), tools, signal)),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
