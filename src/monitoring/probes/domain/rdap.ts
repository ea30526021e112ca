import { domainToASCII } from 'node:url'
import type { NetworkTools } from '../attempt.ts'
import { fetchDocument, parseJson } from './fetch-document.ts'
import { parseDate } from './parse-date.ts'
import { arrayOf, type Bootstrap } from './rdap-bootstrap.ts'
import {
  assertNotSuffix,
  lapsedStatus,
  type NotRegistered,
  type Registered,
  type RegistryAnswer,
  RegistryError,
} from './registry-answer.ts'

/** Asks for each name, longest first, until one is registered. Throws an OutboundError or a RegistryFault. */
export async function askRdap(
  names: readonly string[],
  bootstrap: Bootstrap,
  tools: NetworkTools,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const base = await bootstrap.serviceFor(names[0] ?? '', signal)
  if (base === null) return { kind: 'unserved' }
  let isPlain = true
  for (const name of names) {
    const answer = await askFor(name, base, tools, signal, name === names.at(-1))
    if (answer.kind === 'registered') return assertNotSuffix(answer, names)
    isPlain &&= answer.isProtocolAnswer
  }
  return { kind: 'absent', isProtocolAnswer: isPlain }
}

async function askFor(name: string, base: URL, tools: NetworkTools, signal: AbortSignal, isLast: boolean) {
  const accept = 'application/rdap+json, application/json;q=0.9'
  const { status, contentType, text } = await fetchDocument(new URL(`domain/${name}`, base), accept, tools, signal)
  if (status === 200) return readDomain(parseJson(text, base.host), name, base.host)
  const absent: NotRegistered = { kind: 'absent', isProtocolAnswer: /^application\/rdap\+json\b/i.test(contentType) }
  if (status === 404) return absent
  // Some refuse names with more labels than they sell, which denies the name just as well.
  if (!isLast && (status === 400 || status === 422)) return absent
  throw new RegistryError(`${base.host} answered ${status}`)
}

interface DomainObject {
  readonly objectClassName?: unknown
  readonly ldhName?: unknown
  readonly errorCode?: unknown
  readonly events?: unknown
  readonly status?: unknown
}

/** A domain object of RFC 9083, as far as it can be trusted to be about the name that was asked for. */
export function readDomain(value: unknown, asked: string, host: string): Registered | NotRegistered {
  const domain: DomainObject = typeof value === 'object' && value !== null ? value : {}
  if (domain.errorCode === 404) return { kind: 'absent', isProtocolAnswer: true }
  const name = typeof domain.ldhName === 'string' ? domainToASCII(domain.ldhName).replace(/\.$/, '') : asked
  // Some answer for the registration that a host belongs to.
  const isAboutIt = name === asked || (name.includes('.') && asked.endsWith(`.${name}`))
  if (!isAboutIt || (domain.objectClassName !== undefined && domain.objectClassName !== 'domain')) {
    throw new RegistryError(`${host} answered with something else than ${asked}`)
  }
  if (domain.objectClassName === undefined && domain.ldhName === undefined) {
    throw new RegistryError(`The answer of ${host} is not RDAP`)
  }
  const statuses = arrayOf(domain.status).filter((status) => typeof status === 'string')
  const lapsed = statuses.map(lapsedStatus).find((status) => status !== null) ?? null
  return { kind: 'registered', name, expiresAt: expiryIn(domain.events), lapsed }
}

/** The registry's date; the registrar's is a second best, for it may run on while the registry's has ended. */
function expiryIn(events: unknown): number | null {
  for (const action of ['expiration', 'registrar expiration']) {
    for (const event of arrayOf(events)) {
      const { eventAction, eventDate } = (event ?? {}) as { eventAction?: unknown; eventDate?: unknown }
      if (typeof eventAction !== 'string' || eventAction.toLowerCase() !== action) continue
      const expiresAt = typeof eventDate === 'string' ? parseDate(eventDate) : null
      if (expiresAt !== null) return expiresAt
    }
  }
  return null
}
