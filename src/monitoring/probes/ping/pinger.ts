import { isIP } from 'node:net'
import { echoByCommand, findPingCommand } from './command-echo.ts'
import type { Echo, Echoer } from './echo.ts'
import type { Family } from './icmp-packet.ts'
import { openIcmpSocket } from './open-icmp-socket.ts'
import { echoOverSocket, failedEcho } from './socket-echo.ts'

/** The ways to ping, the best first: the first two over one shared socket, the third with a process per ping. */
export const pingMethods = ['datagram', 'raw', 'command'] as const
export type PingMethod = (typeof pingMethods)[number]

export interface PingMethods {
  readonly ipv4: PingMethod | 'none'
  readonly ipv6: PingMethod | 'none'
  /** For people who look after the machine: which way is in use, and why no better one. */
  readonly sentence: string
}

/** Pings addresses in the best way that the system allows. Several may exist; each has its own sockets. */
export interface Pinger extends Disposable {
  /** The address must come out of a guard. */
  ping(address: string): Echo
  methods(): PingMethods
}

export interface PingerOptions {
  /** The ways to try, in order; all by default. */
  readonly methods?: readonly PingMethod[]
  readonly findCommand?: (family: Family) => string | null
}

/** A way that was closed may open: a setting changes, file descriptors come free again. */
const TRY_AGAIN_MS = 60_000
const REMEDY = 'allow net.ipv4.ping_group_range, give CAP_NET_RAW or install ping'

interface Choice {
  readonly way: PingMethod | 'none'
  readonly echoer: Echoer
  readonly text: string
  readonly until: number
}

export function createPinger({ methods = pingMethods, findCommand = findPingCommand }: PingerOptions = {}): Pinger {
  const choices = new Map<Family, Choice>()

  const choose = (family: Family): Choice => {
    const refused: string[] = []
    for (const way of methods) {
      try {
        const { echoer, text } = open(way, family)
        const isBest = way !== 'command'
        const until = isBest ? Number.POSITIVE_INFINITY : performance.now() + TRY_AGAIN_MS
        const because = isBest || refused.length === 0 ? '' : ` (${refused.join('; ')})`
        return { way, echoer, text: text + because, until }
      } catch (error) {
        refused.push((error as Error).message)
      }
    }
    const text = `This system offers no way to ping (${refused.join('; ')}); ${REMEDY}`
    const echoer = { ping: () => failedEcho(text), close() {} }
    return { way: 'none', echoer, text, until: performance.now() + TRY_AGAIN_MS }
  }

  const open = (way: PingMethod, family: Family): { echoer: Echoer; text: string } => {
    if (way === 'command') {
      const command = findCommand(family)
      if (command === null) throw new Error('there is no ping command')
      return { echoer: echoByCommand(command), text: `a process of ${command} for each ping` }
    }
    try {
      const socket = openIcmpSocket(way, family)
      return { echoer: echoOverSocket(socket, family, () => choices.delete(family)), text: `${way} ICMP socket` }
    } catch (error) {
      throw new Error(`no ${way} ICMP socket: ${(error as Error).message}`)
    }
  }

  const choiceFor = (family: Family): Choice => {
    const known = choices.get(family)
    if (known !== undefined && performance.now() < known.until) return known
    // Pings under way keep their processes; a process ends by itself or with its check.
    const choice = choose(family)
    choices.set(family, choice)
    return choice
  }

  return {
    ping(address) {
      const family = isIP(address)
      return family === 0
        ? failedEcho(`"${address}" is not an address`)
        : choiceFor(family as Family).echoer.ping(address)
    },
    methods() {
      const [ipv4, ipv6] = [choiceFor(4), choiceFor(6)]
      const sentence = ipv4.text === ipv6.text ? ipv4.text : `IPv4: ${ipv4.text}, IPv6: ${ipv6.text}`
      return { ipv4: ipv4.way, ipv6: ipv6.way, sentence }
    },
    [Symbol.dispose]() {
      for (const { echoer } of choices.values()) echoer.close()
      choices.clear()
    },
  }
}
