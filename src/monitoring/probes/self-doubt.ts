import { Resolver } from 'node:dns'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { ProbeTarget, RunProbe, Sample } from '../../contract/probe.ts'
import type { Log } from '../../lib/log.ts'
import { isPublicAddress } from '../../outbound/address-policy.ts'
import { hostOf } from '../../outbound/urls.ts'
import { englishText } from '../../reasons/english.ts'
import { anyHostAnswers, anySucceeds, type Endpoint, gatewayAnswers, resolverAnswers } from './ask-network.ts'
import {
  AnsweredTargets,
  addressOf,
  type ConnectionFailure,
  isNetworkProven,
  type Network,
  networkOf,
  type Proof,
  proofsFor,
  reasonFor,
} from './doubt.ts'

export interface SelfDoubtOptions {
  /** False: a failure is believed, unless none of the operator's sentinels can be reached. */
  readonly selfDoubt: boolean
  readonly sentinels: readonly Endpoint[]
  readonly dnsServers: readonly string[]
  /** Which addresses are public. Tests pass their own rule, because they use private networks only. */
  readonly isPublic?: ((address: string) => boolean) | undefined
  readonly log: Log
}

/** One question serves all checks that fail within this time. */
const ASK_AGAIN_MS = 1_000
const MAX_QUESTIONS = 1_000
/** Another try of a target that failed: long enough for one lost packet, which is sent again after a second. */
const AGAIN_MS = 1_250
/** How often a node asks whether a network is back that it lost. Other nodes may check its monitors meanwhile. */
const ASK_LOST_MS = 5_000
/** Addresses of this machine change rarely, and most checks only look up the address of the check before. */
const FORGET_NETWORKS_MS = 30_000

/** Runs probes. A failure that may be the fault of this node's network becomes inconclusive. */
export class SelfDoubt {
  /** Called when a network can be reached again. */
  onReachable: () => void = () => undefined
  readonly #run: RunProbe
  readonly #options: SelfDoubtOptions
  readonly #networkOf: (address: string | undefined) => Network
  readonly #answered = new AnsweredTargets()
  /** Networks that this node cannot reach, with the address of a failed check. */
  readonly #lost = new Map<Network, string | undefined>()
  #askTimer: NodeJS.Timeout | undefined
  readonly #questions = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>()

  constructor(run: RunProbe, options: SelfDoubtOptions) {
    this.#run = run
    this.#options = options
    this.#networkOf = createNetworkCache(options.isPublic ?? isPublicAddress)
  }

  /** This node lacks a network. */
  get isCutOff(): boolean {
    return this.#lost.size > 0
  }

  stop(): void {
    clearInterval(this.#askTimer)
  }

  readonly runProbe: RunProbe = async (type, target, signal) => {
    const sample = await this.#run(type, target, signal)
    if (sample.outcome === 'failure' && sample.kind === 'connection') return this.#judge(type, target, sample, signal)
    if (this.#options.selfDoubt && sample.outcome !== 'inconclusive') this.#note(target, sample)
    return sample
  }

  /** The target has answered, with success or with wrong content. */
  #note(target: ProbeTarget, { ip, timings, records }: Exclude<Sample, { outcome: 'inconclusive' }>): void {
    if (ip !== undefined) {
      const network = this.#networkOf(ip)
      this.#answered.add(network, ip, () => portOf(target), performance.now())
      this.#setReachable(network)
    }
    if (timings?.dnsMs !== undefined || records !== undefined) this.#setReachable('names')
  }

  async #judge(type: string, target: ProbeTarget, sample: ConnectionFailure, signal: AbortSignal): Promise<Sample> {
    const address = addressOf(sample, targetHost(target))
    const network = this.#options.selfDoubt ? this.#networkOf(address) : 'local'
    const isLocal = network === 'local'
    if (!isLocal && isNetworkProven(this.#answered, network, sample, performance.now())) return sample
    const question = this.#isReachable(network, address)
    if (question === undefined) return sample
    // The network may have been repaired just before the end of the last try: the target gets as much time as the question.
    const again = isLocal ? undefined : await this.#probeAgain(type, target, signal, question)
    if (again !== undefined) return { ...again, ...(sample.tries && { tries: sample.tries }) }
    if (await question) {
      this.#setReachable(network)
      return sample
    }
    const reason = reasonFor(network)
    if (!this.#lost.has(network))
      this.#options.log.warn(`${englishText(reason)}; failed checks are inconclusive until one is`)
    this.#lost.set(network, address)
    this.#askTimer ??= setInterval(() => void this.#askForLost(), ASK_LOST_MS).unref()
    return { outcome: 'inconclusive', reason, isCutOff: true }
  }

  async #askForLost(): Promise<void> {
    const ask = async ([network, address]: readonly [Network, string | undefined]) => {
      if (await this.#isReachable(network, address)) this.#setReachable(network)
    }
    await Promise.all([...this.#lost].map(ask))
  }

  #setReachable(network: Network): void {
    if (this.#lost.size === 0 || !this.#lost.delete(network)) return
    if (this.#lost.size === 0) {
      clearInterval(this.#askTimer)
      this.#askTimer = undefined
    }
    this.#options.log.info({ network }, 'the network is reachable again')
    this.onReachable()
  }

  /** The sample of another try if it succeeds while the question is asked. */
  async #probeAgain(
    type: string,
    target: ProbeTarget,
    signal: AbortSignal,
    question: Promise<boolean>,
  ): Promise<Sample | undefined> {
    const ended = new AbortController()
    const shorter: ProbeTarget = {
      ...target,
      timeoutMs: Math.min(target.timeoutMs, AGAIN_MS),
      confirmation: { failureRetries: 0, retryDelaysSeconds: [], recoverySuccesses: 1 },
    }
    const isOver = Promise.all([question, delay(AGAIN_MS)]).then(() => undefined)
    const again = this.#run(type, shorter, AbortSignal.any([signal, ended.signal]))
    const success = again.then((sample) => (sample.outcome === 'success' ? sample : isOver))
    try {
      const sample = await Promise.race([success, isOver])
      if (sample !== undefined) this.#note(target, sample)
      return sample
    } finally {
      ended.abort()
    }
  }

  /** Undefined if there is nobody to ask. */
  #isReachable(network: Network, address: string | undefined): Promise<boolean> | undefined {
    const proofs = proofsFor(network, {
      sentinels: this.#sentinelsFor(network).length > 0,
      otherHosts: this.#answered.hosts(network).some(({ host }) => host !== address),
    })
    if (proofs.length === 0) return undefined
    const key = `${network} ${proofs}`
    const now = performance.now()
    let question = this.#questions.get(key)
    if (question === undefined || now - question.at > ASK_AGAIN_MS) {
      question = { at: now, answer: anySucceeds(proofs.map((proof) => mustBeTrue(this.#ask(proof, network, address)))) }
      if (this.#questions.size >= MAX_QUESTIONS) this.#questions.clear()
      this.#questions.set(key, question)
    }
    return question.answer
  }

  #ask(proof: Proof, network: Network, address: string | undefined): Promise<boolean> {
    switch (proof) {
      case 'sentinels':
        return anyHostAnswers(this.#sentinelsFor(network), {
          isRefusalEnough: false,
          ...(network === 'public' && { isUsable: isIPv4 }),
          ...(network === 'public IPv6' && { isUsable: isIPv6 }),
        })
      case 'resolver':
        return resolverAnswers(this.#dnsServers(), network === 'names')
      case 'public IPv6 resolver':
        return resolverAnswers(this.#dnsServers().filter(this.#isPublicIpv6), false)
      case 'gateway':
        return gatewayAnswers(address ?? '')
      case 'hosts':
        return anyHostAnswers(this.#answered.hosts(network), { isRefusalEnough: true })
    }
  }

  #dnsServers(): readonly string[] {
    const { dnsServers } = this.#options
    return dnsServers.length > 0 ? dnsServers : new Resolver().getServers()
  }

  /** Of a DNS server, with or without a port. */
  readonly #isPublicIpv6 = (server: string): boolean => {
    const address = server.replace(/^\[(.*)\].*$/s, '$1')
    return isIPv6(address) && this.#networkOf(address) === 'public IPv6'
  }

  /** An address that answers says nothing about names. */
  #sentinelsFor(network: Network): readonly Endpoint[] {
    const { sentinels } = this.#options
    return network === 'names' ? sentinels.filter(({ host }) => isIP(host) === 0) : sentinels
  }
}

async function mustBeTrue(answer: Promise<boolean>): Promise<void> {
  if (!(await answer)) throw new Error('no answer')
}

function createNetworkCache(isPublic: (address: string) => boolean): (address: string | undefined) => Network {
  let known = new Map<string | undefined, Network>()
  let own: ReadonlySet<string> = new Set()
  let forgetAt = 0
  return (address) => {
    const now = performance.now()
    if (now >= forgetAt) {
      known = new Map()
      own = new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map((each) => each.address)))
      forgetAt = now + FORGET_NETWORKS_MS
    }
    return known.getOrInsertComputed(address, () => networkOf(address, { isPublic, own }))
  }
}

function targetHost({ url, host }: ProbeTarget): string {
  const parsed = URL.parse(url ?? '')
  return host?.replace(/^\[(.*)\]$/, '$1') ?? (parsed === null ? '' : hostOf(parsed))
}

/** Undefined for a ping. */
function portOf({ url, port }: ProbeTarget): number | undefined {
  const parsed = URL.parse(url ?? '')
  if (parsed === null) return port ?? undefined
  return parsed.port === '' ? (parsed.protocol === 'http:' ? 80 : 443) : Number(parsed.port)
}
