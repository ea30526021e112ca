import { isIP } from 'node:net'
import { englishText } from '../../../reasons/english.ts'
import { reason } from '../../../reasons/reason.ts'
import { echoByCommand, findPingCommand, howToAllowPing } from './command-echo.ts'
import type { Echo, Echoer } from './echo.ts'
import type { Family } from './icmp-packet.ts'
import { openIcmpSocket } from './open-icmp-socket.ts'
import { echoOverSocket, failedEcho } from './socket-echo.ts'

/** Best first: two over one shared ICMP socket, and one with a process per ping. */
export const pingMethods = ['datagram', 'raw', 'command'] as const
type PingMethod = (typeof pingMethods)[number]

interface PingMethods {
  readonly ipv4: PingMethod | 'none'
  readonly ipv6: PingMethod | 'none'
  /** For operators: the method in use, and why no better one is. */
  readonly sentence: string
}

/** Pings addresses by the best method that the system allows. Each pinger has its own sockets. */
export interface Pinger extends Disposable {
  /** The address must come from a guard. */
  ping(address: string): Echo
  methods(): PingMethods
}

export interface PingerOptions {
  /** The methods to try, in order; all by default. */
  readonly methods?: readonly PingMethod[]
  readonly findCommand?: (family: Family) => string | null
}

/** Better methods are tried again after this time: a setting may change, or file descriptors become free. */
const RETRY_AFTER_MS = 60_000

interface Choice {
  readonly method: PingMethod | 'none'
  readonly echoer: Echoer
  readonly text: string
  readonly until: number
}

export function createPinger({ methods = pingMethods, findCommand = findPingCommand }: PingerOptions = {}): Pinger {
  const choices = new Map<Family, Choice>()

  const choose = (family: Family): Choice => {
    const refused: string[] = []
    for (const method of methods) {
      try {
        const { echoer, text } = open(method, family)
        const isSocket = method !== 'command'
        const until = isSocket ? Number.POSITIVE_INFINITY : performance.now() + RETRY_AFTER_MS
        const because = isSocket || refused.length === 0 ? '' : ` (${refused.join('; ')})`
        return { method, echoer, text: text + because, until }
      } catch (error) {
        refused.push((error as Error).message)
      }
    }
    const why = reason('ping_unavailable', { error: refused.join('; '), remedy: howToAllowPing() })
    const echoer = { ping: () => failedEcho(why), close() {} }
    return { method: 'none', echoer, text: englishText(why), until: performance.now() + RETRY_AFTER_MS }
  }

  const open = (method: PingMethod, family: Family): { echoer: Echoer; text: string } => {
    if (method === 'command') {
      const command = findCommand(family)
      if (command === null) throw new Error('there is no ping command')
      return { echoer: echoByCommand(command), text: `ping command ${command}` }
    }
    try {
      const socket = openIcmpSocket(method, family)
      return { echoer: echoOverSocket(socket, family, () => choices.delete(family)), text: `${method} ICMP socket` }
    } catch (error) {
      throw new Error(`no ${method} ICMP socket: ${(error as Error).message}`)
    }
  }

  const choiceFor = (family: Family): Choice => {
    const known = choices.get(family)
    if (known !== undefined && performance.now() < known.until) return known
    // The old echoer is not closed: its running processes end by themselves or with their checks.
    const choice = choose(family)
    choices.set(family, choice)
    return choice
  }

  return {
    ping(address) {
      const family = isIP(address)
      return family === 0
        ? failedEcho(reason('ping_not_an_address', { text: address }))
        : choiceFor(family as Family).echoer.ping(address)
    },
    methods() {
      const [ipv4, ipv6] = [choiceFor(4), choiceFor(6)]
      const sentence = ipv4.text === ipv6.text ? ipv4.text : `IPv4: ${ipv4.text}, IPv6: ${ipv6.text}`
      return { ipv4: ipv4.method, ipv6: ipv6.method, sentence }
    },
    [Symbol.dispose]() {
      for (const { echoer } of choices.values()) echoer.close()
      choices.clear()
    },
  }
}
