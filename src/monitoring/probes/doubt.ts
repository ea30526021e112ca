import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Sample } from '../../contract/probe.ts'
import { subnetOf } from '../../outbound/subnet.ts'
import { isLocalhost } from '../../outbound/urls.ts'
import { type Reason, reason } from '../../reasons/reason.ts'
import type { Endpoint } from './ask-network.ts'

export type ConnectionFailure = Extract<Sample, { outcome: 'failure' }>

/**
 * The network of a target: `local` is this machine, `names` is every target whose name was not resolved, `public` is every public
 * IPv4 address, `public IPv6` the others. Private addresses are grouped by network, such as `10.1.2.0/24`. If this node has lost a
 * network, it reaches no target in it.
 */
export type Network = 'local' | 'public' | 'public IPv6' | 'names' | (string & {})

/** What can show that this node reaches a network. */
export type Proof = 'sentinels' | 'hosts' | 'gateway' | 'resolver' | 'public IPv6 resolver'

interface Surroundings {
  readonly isPublic: (address: string) => boolean
  /** The addresses of this machine. */
  readonly own: ReadonlySet<string>
}

/** `address` is undefined if the name was not resolved. */
export function networkOf(address: string | undefined, { isPublic, own }: Surroundings): Network {
  if (address === undefined) return 'names'
  if (own.has(address)) return 'local'
  const parsed = ipaddr.process(address.replace(/%.*/s, ''))
  if (parsed.range() === 'loopback') return 'local'
  if (isPublic(address)) return parsed.kind() === 'ipv6' ? 'public IPv6' : 'public'
  return subnetOf(address, 64)
}

/** The address that a failed check tried; undefined if there was none. */
export function addressOf(sample: ConnectionFailure, host: string): string | undefined {
  if (sample.ip !== undefined) return sample.ip
  if (sample.triedIp !== undefined) return sample.triedIp
  return isLocalhost(host) ? '127.0.0.1' : isIP(host) === 0 ? undefined : host
}

/** Answers of other targets count if they came within the last try of the failed check, or within these last 2 s if the try was shorter. */
const MIN_SPAN_MS = 2_000

/**
 * Whether other targets show that the network worked while the last try of a check failed: one answered in each half of that time.
 * An answer at the end alone may have come after the network was repaired, one at the beginning before it failed.
 */
export function isNetworkProven(
  answered: AnsweredTargets,
  network: Network,
  { responseMs = 0 }: ConnectionFailure,
  now: number,
): boolean {
  const halfMs = Math.max(MIN_SPAN_MS, responseMs) / 2
  return answered.isWithin(network, now - 2 * halfMs, now - halfMs) && answered.isWithin(network, now - halfMs, now)
}

/**
 * What to ask when no other target of the network has answered. One answer proves that the network works. An empty list means that
 * nothing can be asked, and the failure counts. For a private network the resolver is asked only if no other host of it is known.
 */
export function proofsFor(network: Network, knows: { sentinels: boolean; otherHosts: boolean }): readonly Proof[] {
  const sentinels: readonly Proof[] = knows.sentinels ? ['sentinels'] : []
  if (network === 'local') return sentinels
  if (network === 'names') return [...sentinels, 'resolver']
  // Over IPv4, or in the own network, a DNS server shows nothing about public IPv6. It decides only if nothing else can be asked.
  if (network === 'public IPv6' && knows.otherHosts) return [...sentinels, 'public IPv6 resolver', 'hosts']
  if (network === 'public' || network === 'public IPv6') return [...sentinels, 'resolver', 'hosts']
  return [...sentinels, 'gateway', knows.otherHosts ? 'hosts' : 'resolver']
}

export function reasonFor(network: Network): Reason {
  if (network === 'local') return reason('offline')
  if (network === 'names') return reason('offline_names')
  if (network === 'public') return reason('offline_public')
  if (network === 'public IPv6') return reason('offline_public_ipv6')
  return reason('offline_network', { network })
}

const MAX_HOSTS = 4
const MAX_NETWORKS = 1_000
/** Only one answer is recorded in this time. 500 of them cover more than the longest try. */
const ANSWER_SPACING_MS = 250
const MAX_ANSWERS = 500

interface Answers {
  readonly hosts: Map<string, Endpoint>
  /** In ascending order. */
  readonly times: number[]
}

/** Which targets have answered this node, and when. */
export class AnsweredTargets {
  readonly #networks = new Map<Network, Answers>()

  /** `port` returns undefined for a ping. */
  add(network: Network, address: string, port: () => number | undefined, now: number): void {
    const { hosts, times } = this.#of(network)
    if (now - (times.at(-1) ?? Number.NEGATIVE_INFINITY) >= ANSWER_SPACING_MS) {
      times.push(now)
      if (times.length > MAX_ANSWERS) times.splice(0, MAX_ANSWERS / 2)
    }
    if (hosts.has(address)) return
    const opened = port()
    if (opened === undefined) return
    if (hosts.size >= MAX_HOSTS) hosts.delete(hosts.keys().next().value as string)
    hosts.set(address, { host: address, port: opened })
  }

  isWithin(network: Network, from: number, to: number): boolean {
    return this.#networks.get(network)?.times.some((at) => at >= from && at <= to) ?? false
  }

  hosts(network: Network): readonly Endpoint[] {
    return [...(this.#networks.get(network)?.hosts.values() ?? [])]
  }

  #of(network: Network): Answers {
    let known = this.#networks.get(network)
    if (known === undefined) {
      if (this.#networks.size >= MAX_NETWORKS) this.#networks.clear()
      known = { hosts: new Map(), times: [] }
      this.#networks.set(network, known)
    }
    return known
  }
}
