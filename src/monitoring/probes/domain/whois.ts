import type { Socket } from 'node:net'
import { type Clock, DAY_MS } from '../../../lib/clock.ts'
import { connectTcp } from '../../../outbound/connect.ts'
import type { NetworkTools } from '../attempt.ts'
import { type Cache, createCache } from './cache.ts'
import { assertNotSuffix, type RegistryAnswer, RegistryError } from './registry-answer.ts'
import { parseWhoisReply, referralIn, type WhoisReply } from './whois-reply.ts'

const MAX_REPLY_BYTES = 64 * 1024
const MAX_TOPS = 2000

/** Where WHOIS begins. The port goes for every server that it refers to: nobody else may choose one for us. */
export interface WhoisRoot {
  readonly host: string
  readonly port: number
}

export const IANA: WhoisRoot = { host: 'whois.iana.org', port: 43 }

/** Servers that need to be told what kind of thing, or which language, is meant. */
const QUESTIONS: Readonly<Record<string, (name: string) => string>> = {
  'whois.verisign-grs.com': (name) => `domain ${name}`,
  'whois.denic.de': (name) => `-T dn,ace ${name}`,
  'whois.jprs.jp': (name) => `${name}/e`,
}

/** The WHOIS server of a top-level domain, null when it has none, or that there is no such top-level domain. */
type Top = { readonly server: string | null } | 'unknown'

export interface Whois {
  /** Asks for each name, longest first, until one is registered. Throws an OutboundError or a RegistryFault. */
  ask(names: readonly string[], signal: AbortSignal): Promise<RegistryAnswer>
}

export function createWhois(root: WhoisRoot, tools: NetworkTools, clock: Clock): Whois {
  const tops: Cache<Top> = createCache(MAX_TOPS, clock)
  const converse = (server: string, question: string, signal: AbortSignal) =>
    exchange({ host: server, port: root.port }, question, tools, signal)

  const askServer = async (server: string, name: string, signal: AbortSignal): Promise<WhoisReply> =>
    parseWhoisReply(await converse(server, QUESTIONS[server]?.(name) ?? name, signal), name)

  const findTop = async (label: string, signal: AbortSignal): Promise<Top> => {
    const known = tops.get(label)
    if (known !== undefined) return known
    const top = readTop(await converse(root.host, label, signal), label, root.host)
    tops.set(label, top, DAY_MS)
    return top
  }
  return {
    async ask(names, signal) {
      const top = await findTop(names[0]?.split('.').at(-1) ?? '', signal)
      if (top === 'unknown') return { kind: 'absent', isProtocolAnswer: true }
      if (top.server === null) return { kind: 'unserved' }
      return walk(names, top.server, askServer, signal)
    },
  }
}

type AskServer = (server: string, name: string, signal: AbortSignal) => Promise<WhoisReply>

async function walk(
  names: readonly string[],
  server: string,
  ask: AskServer,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  let doubt: string | null = null
  for (const name of names) {
    const reply = await ask(server, name, signal)
    if (reply.kind === 'registered') {
      const dated = await askRegistrar(reply, server, name, ask, signal)
      return assertNotSuffix({ kind: 'registered', name, expiresAt: dated.expiresAt, lapsed: dated.lapsed }, names)
    }
    if (reply.kind === 'refused') throw new RegistryError(`${server} refused the question`)
    const isDenied = reply.kind === 'absent' || (reply.kind === 'invalid' && name !== names.at(-1))
    if (!isDenied) doubt = `The answer of ${server} about ${name} was not understood`
  }
  if (doubt !== null) throw new RegistryError(doubt)
  return { kind: 'absent', isProtocolAnswer: true }
}

/** Registries of the thin kind leave the date to the registrar: the second and last referral. */
async function askRegistrar(
  entry: Extract<WhoisReply, { kind: 'registered' }>,
  server: string,
  name: string,
  ask: AskServer,
  signal: AbortSignal,
) {
  const { expiresAt, lapsed, referral } = entry
  if (expiresAt !== null || lapsed !== null || referral === null || referral === server) return entry
  const reply = await ask(referral, name, signal)
  return reply.kind === 'registered' ? reply : entry
}

function readTop(text: string, label: string, host: string): Top {
  const server = referralIn(text)
  if (server !== null) return { server }
  const reply = parseWhoisReply(text, label)
  if (reply.kind === 'registered') return { server: null }
  if (reply.kind === 'absent') return 'unknown'
  throw new RegistryError(`${host} did not say who keeps .${label}`)
}

async function exchange(server: WhoisRoot, question: string, { guard }: NetworkTools, signal: AbortSignal) {
  const { addresses } = await guard.resolve(server.host, signal)
  const { socket } = await connectTcp(addresses, server.port, signal)
  const text = await readAll(socket, question, signal)
  if (text.trim() === '') throw new RegistryError(`${server.host} closed the connection without an answer`)
  return text
}

/** What the server says until it hangs up, in whatever manner, or has said enough. */
function readAll(socket: Socket, question: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const stop = () => {
      signal.removeEventListener('abort', abort)
      socket.destroy()
    }
    const abort = () => {
      stop()
      reject(signal.reason)
    }
    const finish = () => {
      stop()
      resolve(Buffer.concat(chunks).toString('utf8', 0, MAX_REPLY_BYTES))
    }
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      chunks.push(chunk)
      if (bytes >= MAX_REPLY_BYTES) finish()
    })
    socket.once('end', finish)
    socket.once('close', finish)
    // Our side stays open: some servers take its end for a farewell.
    socket.write(`${question}\r\n`)
  })
}
