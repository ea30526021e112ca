import { type Clock, DAY_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { OutboundError } from '../../../outbound/errors.ts'
import { reason } from '../../../reasons/reason.ts'
import type { NetworkTools } from '../definition.ts'
import { fetchDocument, parseJson } from './fetch-document.ts'
import { RegistryError } from './registry-answer.ts'
import { createSingleFlight } from './single-flight.ts'

const REFRESH_MS = DAY_MS
const RETRY_MS = 10 * MINUTE_MS
/** IANA's list has about 100 KiB and grows with the number of top-level domains. */
const LIST = { accept: 'application/json', maxKib: 1024 }

/** Base URLs by domain; most are top-level domains. */
type Services = ReadonlyMap<string, URL>

/**
 * Finds the base URL of the RDAP server for a name, or null, in the list that IANA publishes (RFC 9224). Throws when the list cannot be
 * fetched and there is no older one.
 */
export type FindRdapServer = (name: string, signal: AbortSignal) => Promise<URL | null>

export function createBootstrap(address: string, tools: NetworkTools, clock: Clock): FindRdapServer {
  const singleFlight = createSingleFlight()
  let services: Services | undefined
  let freshUntil = Number.NEGATIVE_INFINITY

  const refresh = async (signal: AbortSignal): Promise<Services> => {
    try {
      services = await fetchServices(new URL(address), tools, signal)
      freshUntil = clock.now() + REFRESH_MS
    } catch (error) {
      const isFetchError = error instanceof OutboundError || error instanceof RegistryError
      // An old list is nearly as good as a new one.
      if (services === undefined || !isFetchError) throw error
      freshUntil = clock.now() + RETRY_MS
    }
    return services
  }
  const cached = () => (clock.now() < freshUntil ? services : undefined)
  return async (name, signal) =>
    longestMatch(await singleFlight('', signal, { cached, work: () => refresh(signal) }), name)
}

async function fetchServices(address: URL, tools: NetworkTools, signal: AbortSignal): Promise<Services> {
  const { status, text } = await fetchDocument(address, LIST, tools, signal)
  if (status !== 200) throw new RegistryError(reason('rdap_list_status', { host: address.host, status }))
  const services = readServices(parseJson(text, address.host))
  if (services.size === 0) throw new RegistryError(reason('rdap_list_empty', { host: address.host }))
  return services
}

/** `{"services": [[["com", "net"], ["https://rdap.example/"]], …]}`; entries of another form are skipped. */
export function readServices(list: unknown): Services {
  const services = new Map<string, URL>()
  for (const service of arrayOf(memberOf(list, 'services'))) {
    const [domains, addresses] = arrayOf(service)
    const bases = arrayOf(addresses)
      .map((address) =>
        typeof address === 'string' ? URL.parse(address.endsWith('/') ? address : `${address}/`) : null,
      )
      .filter((url) => url?.protocol === 'https:' || url?.protocol === 'http:')
    const base = bases.find((url) => url?.protocol === 'https:') ?? bases[0]
    if (!base) continue
    for (const domain of arrayOf(domains)) if (typeof domain === 'string') services.set(domain.toLowerCase(), base)
  }
  return services
}

export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A member of what may be an object. */
export function memberOf(value: unknown, name: string): unknown {
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name]
}

function longestMatch(services: Services, name: string): URL | null {
  const labels = name.split('.')
  for (let i = 0; i < labels.length; i++) {
    const base = services.get(labels.slice(i).join('.'))
    if (base !== undefined) return base
  }
  return null
}
