import { domainToASCII } from 'node:url'
import { reason } from '../../../reasons/reason.ts'
import { boundedText } from '../bounded-text.ts'
import type { NetworkTools } from '../definition.ts'
import { fetchDocument, parseJson } from './fetch-document.ts'
import { parseDate } from './parse-date.ts'
import { arrayOf, type FindRdapServer, memberOf } from './rdap-bootstrap.ts'
import {
  lapsedStatus,
  type NotRegistered,
  nameServerList,
  type Registered,
  type RegistrationFacts,
  type RegistryAnswer,
  RegistryError,
  requireNotSuffix,
} from './registry-answer.ts'

const DOMAIN = { accept: 'application/rdap+json, application/json;q=0.9', maxKib: 256 }

/** Queries each name, longest first, until one is registered. Throws an OutboundError or a RegistryError. */
export async function askRdap(
  names: readonly string[],
  findServer: FindRdapServer,
  tools: NetworkTools,
  signal: AbortSignal,
): Promise<RegistryAnswer> {
  const base = await findServer(names[0] ?? '', signal)
  if (base === null) return { kind: 'unserved' }
  let isProtocolAnswer = true
  for (const name of names) {
    const answer = await queryName(name, base, tools, signal, name === names.at(-1))
    if (answer.kind === 'registered') return requireNotSuffix(answer, names)
    isProtocolAnswer &&= answer.isProtocolAnswer
  }
  return { kind: 'absent', isProtocolAnswer }
}

async function queryName(name: string, base: URL, tools: NetworkTools, signal: AbortSignal, isLast: boolean) {
  const { status, contentType, text } = await fetchDocument(new URL(`domain/${name}`, base), DOMAIN, tools, signal)
  if (status === 200) return parseDomain(parseJson(text, base.host), name, base.host)
  const absent: NotRegistered = { kind: 'absent', isProtocolAnswer: /^application\/rdap\+json\b/i.test(contentType) }
  if (status === 404) return absent
  // Some registries refuse names with more labels than they register: such a name is not registered either.
  if (!isLast && (status === 400 || status === 422)) return absent
  throw new RegistryError(reason('registry_status', { host: base.host, status }))
}

/** Parses a domain object (RFC 9083) and makes sure that it is about the queried name. */
function parseDomain(domain: unknown, queried: string, host: string): Registered | NotRegistered {
  if (memberOf(domain, 'errorCode') === 404) return { kind: 'absent', isProtocolAnswer: true }
  const [kind, ldhName] = [memberOf(domain, 'objectClassName'), memberOf(domain, 'ldhName')]
  const name = typeof ldhName === 'string' ? domainToASCII(ldhName).replace(/\.$/, '') : queried
  // Some servers answer with the registration above the queried host.
  const isAboutName = name === queried || (name.includes('.') && queried.endsWith(`.${name}`))
  if (!isAboutName || (kind !== undefined && kind !== 'domain')) {
    throw new RegistryError(reason('registry_other_domain', { host, domain: queried }))
  }
  if (kind === undefined && ldhName === undefined) throw new RegistryError(reason('registry_not_rdap', { host }))
  const statuses = arrayOf(memberOf(domain, 'status')).filter((status) => typeof status === 'string')
  const lapsed = statuses.map(lapsedStatus).find((status) => status !== null) ?? null
  // The registry's date, else the registrar's, which may be later than the registry's.
  const expiresAt = dateIn(domain, ['expiration', 'registrar expiration'])
  return { kind: 'registered', name, expiresAt, lapsed, facts: factsIn(domain) }
}

function factsIn(domain: unknown): RegistrationFacts {
  const registrar = arrayOf(memberOf(domain, 'entities')).find((entity) =>
    arrayOf(memberOf(entity, 'roles')).includes('registrar'),
  )
  const servers = arrayOf(memberOf(domain, 'nameservers')).map((server) => memberOf(server, 'ldhName'))
  return {
    registrar: formattedName(registrar),
    registeredAt: dateIn(domain, ['registration']),
    nameServers: nameServerList(servers.filter((name) => typeof name === 'string')),
    source: 'RDAP',
  }
}

/** The full name in the jCard (RFC 7095) of an entity. */
function formattedName(entity: unknown): string | null {
  const properties = arrayOf(arrayOf(memberOf(entity, 'vcardArray'))[1])
  const value = arrayOf(properties.find((property) => arrayOf(property)[0] === 'fn'))[3]
  const name = typeof value === 'string' ? boundedText(value) : ''
  return name === '' ? null : name
}

function dateIn(domain: unknown, actions: readonly string[]): number | null {
  for (const action of actions) {
    for (const event of arrayOf(memberOf(domain, 'events'))) {
      const [eventAction, eventDate] = [memberOf(event, 'eventAction'), memberOf(event, 'eventDate')]
      if (typeof eventAction !== 'string' || eventAction.toLowerCase() !== action) continue
      const date = typeof eventDate === 'string' ? parseDate(eventDate) : null
      if (date !== null) return date
    }
  }
  return null
}
