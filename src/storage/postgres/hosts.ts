import { maskUrl } from '../../lib/mask.ts'
import { isTlsParameter, readTls, type TlsSettings } from './tls.ts'

/** Which servers a connection may use. libpq's other values ask for a standby, which Pharos cannot use. */
type SessionAttributes = 'any' | 'read-write' | 'primary'

export interface DatabaseHosts {
  /** One URL per host, in the order of DATABASE_URL. */
  readonly urls: readonly string[]
  /** Skip hosts that do not accept writes. */
  readonly needsWrites: boolean
  readonly tls: TlsSettings
}

const ATTRIBUTES = 'target_session_attrs'

/**
 * Splits a URL with several hosts (`postgres://u:p@h1:5432,h2:5432/db?target_session_attrs=read-write`), which the driver
 * does not understand, into URLs with one host each. Hosts may also be a list in the parameters `host` and `port`, as for
 * libpq. The parameters of TLS are taken out. With several hosts only those that accept writes are used, unless `target_session_attrs=any`.
 */
export function parseHosts(url: string): DatabaseHosts {
  const { start, hosts, path, parameters } = partsOf(url)
  const wanted = attributesOf(parameterOf(parameters, ATTRIBUTES))
  const others = parameters.filter((one) => nameOf(one) !== ATTRIBUTES && !isTlsParameter(nameOf(one)))
  const urlOf = (host: string, list: readonly string[]): string =>
    `${start}${host}${path}${list.length === 0 ? '' : `?${list.join('&')}`}`
  const urls =
    hostParameters(others)?.map((list) => urlOf(hosts, list)) ?? hosts.split(',').map((host) => urlOf(host, others))
  if (hosts.includes(',') && hosts.split(',').includes('')) throw new Error('the list of hosts has an empty entry')
  for (const one of urls) refuseInvalid(one)
  const tls = readTls(new Map(parameters.map((one) => [nameOf(one), valueIn(one)])))
  return { urls, tls, needsWrites: (wanted ?? (urls.length > 1 ? 'read-write' : 'any')) !== 'any' }
}

const variables = { PGSSLMODE: 'sslmode', PGSSLROOTCERT: 'sslrootcert', PGSSLCERT: 'sslcert', PGSSLKEY: 'sslkey' }

/** A URL with the variables of libpq as parameters, where it does not have them itself. */
export function withTlsVariables(url: string, environment: Readonly<Record<string, string | undefined>>): string {
  const { start, hosts, path, parameters } = partsOf(url)
  const given = parameters.map(nameOf)
  const added = Object.entries(variables).flatMap(([variable, name]) => {
    const value = environment[variable]
    const isGiven = given.includes(name) || (name === 'sslmode' && given.includes('ssl'))
    return !value || isGiven ? [] : [`${name}=${encodeURIComponent(value)}`]
  })
  return added.length === 0 ? url : `${start}${hosts}${path}?${[...parameters, ...added].join('&')}`
}

/** Everything stays encoded as it is: the driver decodes it. */
function partsOf(url: string) {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?/.exec(url) ?? []
  if (scheme === '') throw new Error('it must start with postgres://')
  // A password may contain an unencoded "@".
  const hostsAt = authority.lastIndexOf('@') + 1
  return {
    start: scheme + authority.slice(0, hostsAt),
    hosts: authority.slice(hostsAt),
    path,
    parameters: query.split('&').filter((parameter) => parameter !== ''),
  }
}

function nameOf(parameter: string): string {
  return parameter.split('=', 1)[0] as string
}

function parameterOf(parameters: readonly string[], name: string): string | undefined {
  const found = parameters.find((parameter) => nameOf(parameter) === name)
  return found && valueIn(found)
}

function valueIn(parameter: string): string {
  return decodeURIComponent(parameter.slice(nameOf(parameter).length + 1))
}

/** The parameters for each host of `?host=a,b&port=1,2`; undefined without such a list. */
function hostParameters(parameters: readonly string[]): readonly (readonly string[])[] | undefined {
  const hosts = parameterOf(parameters, 'host')?.split(',')
  if (hosts === undefined || hosts.length === 1) return undefined
  const ports = parameterOf(parameters, 'port')?.split(',') ?? []
  if (ports.length > 1 && ports.length !== hosts.length)
    throw new Error(`it has ${hosts.length} hosts but ${ports.length} ports`)
  const others = parameters.filter((parameter) => !['host', 'port'].includes(nameOf(parameter)))
  return hosts.map((host, i) => {
    const port = ports[i] ?? ports[0]
    return [...others, `host=${encodeURIComponent(host)}`, ...(port === undefined ? [] : [`port=${port}`])]
  })
}

function attributesOf(text: string | undefined): SessionAttributes | undefined {
  if (text === undefined || text === 'any' || text === 'read-write' || text === 'primary') return text
  throw new Error(`${ATTRIBUTES} must be read-write, primary or any, not "${text}"`)
}

/** The driver's message for a wrong port is "Invalid URL", without a hint. */
function refuseInvalid(url: string): void {
  // A path to a socket stands in the parameters, or in the host as %2F….
  if (/^postgres(ql)?:\/\/([^/?#]*@)?([/?#]|%2f)/i.test(url)) return
  if (!URL.canParse(url)) throw new Error('it is not a valid URL; encode special characters of the password with "%"')
}

/** The parameters that messages show. Others may be secret: password, sslpassword and whatever the driver adds. */
const SHOWN: readonly string[] = ['host', 'port', 'sslmode', ATTRIBUTES]

/** DATABASE_URL for messages. A path with "@" is the end of a password with an unencoded "/". */
export function locationOf(url: string): string {
  const { start, hosts, path, parameters } = partsOf(maskUrl(url))
  const shown = parameters.filter((parameter) => SHOWN.includes(nameOf(parameter)))
  return `${start}${hosts}${path.includes('@') ? '/***' : path}${shown.length === 0 ? '' : `?${shown.join('&')}`}`
}

/** Host and port for messages. */
export function hostLabel({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host.startsWith('/')) return `${host}/.s.PGSQL.${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
