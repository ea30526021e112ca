import type { Socket } from 'node:net'
import { type Clock, DAY_MS } from '../../../lib/clock.ts'
import { connectTcp } from '../../../outbound/connect.ts'
import { type Reason, reason } from '../../../reasons/reason.ts'
import type { NetworkTools } from '../definition.ts'
import { type Cache, createCache } from './cache.ts'
import { type RegistryAnswer, RegistryError, requireNotSuffix } from './registry-answer.ts'
import { parseWhoisReply, referralIn, type WhoisReply } from './whois-reply.ts'

const MAX_REPLY_BYTES = 64 * 1024
const MAX_TLDS = 2000

/** The first server to ask. Its port is used for every server that it refers to: a referral must not choose one. */
export interface WhoisRoot {
  readonly host: string
  readonly port: number
}

export const IANA: WhoisRoot = { host: 'whois.iana.org', port: 43 }

/** Servers that expect the query in a form of their own. */
const QUERY_FORMS: Readonly<Record<string, (name: string) => string>> = {
  'whois.verisign-grs.com': (name) => `domain ${name}`,
  'whois.denic.de': (name) => `-T dn,ace ${name}`,
  'whois.jprs.jp': (name) => `${name}/e`,
}

/** The WHOIS server of a top-level domain (null when it has none), or `unknown` when there is no such domain. */
type TldServer = { readonly server: string | null } | 'unknown'

/** Queries each name, longest first, until one is registered. Throws an OutboundError or a RegistryError. */
type AskWhois = (names: readonly string[], signal: AbortSignal) => Promise<RegistryAnswer>

export function createWhois(root: WhoisRoot, { guard }: NetworkTools, clock: Clock): AskWhois {
  const tlds: Cache<TldServer> = createCache(MAX_TLDS, clock)

  return async (names, signal) => {
    const ask = async (host: string, question: string) => {
      const { addresses } = await guard.resolve(host, signal)
      const { socket } = await connectTcp(addresses, root.port, signal)
      const text = await readAll(socket, question, signal)
      if (text.trim() === '') throw new RegistryError(reason('whois_closed', { host }))
      return text
    }
    const label = names[0]?.split('.').at(-1) ?? ''
    let tld = tlds.get(label)
    if (tld === undefined) {
      tld = parseTld(await ask(root.host, label), label, root.host)
      tlds.set(label, tld, DAY_MS)
    }
    if (tld === 'unknown') return { kind: 'absent', isProtocolAnswer: true }
    if (tld.server === null) return { kind: 'unserved' }
    const query: QueryServer = async (server, name) =>
      parseWhoisReply(await ask(server, QUERY_FORMS[server]?.(name) ?? name), name)
    return queryNames(names, tld.server, query)
  }
}

type RegisteredReply = Extract<WhoisReply, { kind: 'registered' }>
type QueryServer = (server: string, name: string) => Promise<WhoisReply>

async function queryNames(names: readonly string[], server: string, query: QueryServer): Promise<RegistryAnswer> {
  let problem: Reason | null = null
  for (const name of names) {
    const reply = await query(server, name)
    if (reply.kind === 'registered') {
      const { referral: _, ...found } = await askRegistrar(reply, server, name, query)
      return requireNotSuffix({ ...found, name }, names)
    }
    if (reply.kind === 'refused') throw new RegistryError(reason('whois_refused', { host: server }))
    const isAbsent = reply.kind === 'absent' || (reply.kind === 'invalid' && name !== names.at(-1))
    if (!isAbsent) problem = reason('whois_unclear', { host: server, domain: name })
  }
  if (problem !== null) throw new RegistryError(problem)
  return { kind: 'absent', isProtocolAnswer: true }
}

/** Thin registries leave the date to the registrar's server. This is the last referral that is followed. */
async function askRegistrar(entry: RegisteredReply, server: string, name: string, query: QueryServer) {
  const { expiresAt, lapsed, referral } = entry
  if (expiresAt !== null || lapsed !== null || referral === null || referral === server) return entry
  const reply = await query(referral, name)
  return reply.kind === 'registered' ? reply : entry
}

function parseTld(text: string, label: string, host: string): TldServer {
  const server = referralIn(text)
  if (server !== null) return { server }
  const reply = parseWhoisReply(text, label)
  if (reply.kind === 'registered') return { server: null }
  if (reply.kind === 'absent') return 'unknown'
  throw new RegistryError(reason('whois_no_server', { host, label }))
}

/** Reads until the server closes the connection, even by a reset, or the limit is reached. */
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
    // Our side stays open: some servers stop answering when it is closed.
    socket.write(`${question}\r\n`)
  })
}
