import type { Findings, Found, MonitorFields } from '../found.ts'
import { keyOf } from '../keys.ts'
import { fieldsOf, httpTarget, type Report, readSettings, type Settings, tcpTarget } from '../settings.ts'

type Texts = Readonly<Record<string, string>>

/** The parts of objects that discovery reads (read.ts). */
interface KubernetesObject<Spec> {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations: Texts }
  readonly spec: Spec
}

type Optional<T> = T | undefined
type OptionalList<T> = Optional<readonly T[]>

export type Ingress = KubernetesObject<{
  readonly tls: OptionalList<{ readonly hosts: OptionalList<string> }>
  readonly rules: OptionalList<{ readonly host: Optional<string>; readonly paths: OptionalList<Optional<string>> }>
}>

interface ParentRef {
  readonly kind: Optional<string>
  readonly name: string
  readonly namespace: Optional<string>
  readonly sectionName: Optional<string>
  readonly port: Optional<number>
}

interface PathMatch {
  readonly type: Optional<string>
  readonly value: Optional<string>
}

export type HttpRoute = KubernetesObject<{
  readonly hostnames: OptionalList<string>
  readonly parentRefs: OptionalList<ParentRef>
  readonly rules: OptionalList<{ readonly matches: OptionalList<PathMatch> }>
}>

interface Listener {
  readonly name: string
  readonly hostname: Optional<string>
  readonly port: number
  readonly protocol: string
}

export type Gateway = KubernetesObject<{ readonly listeners: OptionalList<Listener> }>

interface ServicePort {
  readonly name?: Optional<string>
  readonly port: number
  readonly protocol?: Optional<string>
  readonly appProtocol?: Optional<string>
}

export type Service = KubernetesObject<{
  readonly ports: OptionalList<ServicePort>
  readonly externalName: Optional<string>
}>

export interface ClusterObjects {
  readonly ingresses: readonly Ingress[]
  readonly httproutes: readonly HttpRoute[]
  readonly gateways: readonly Gateway[]
  readonly services: readonly Service[]
}

export const PREFIX = 'pharos.io/'
/** Addresses of one object. The API allows an HTTPRoute with millions. */
const MAX_ADDRESSES = 500

/** The monitors that objects with annotations describe. With `all`, every Ingress and HTTPRoute counts that is not disabled. */
export function mapObjects(objects: ClusterObjects, all: boolean): Findings {
  const problems: string[] = []
  const gateways = new Map(objects.gateways.map((one) => [nameOf(one.metadata), one]))
  const found = [
    ...objects.ingresses.flatMap((one) =>
      routeMonitors('Ingress', one, all, problems, (_report, leaveOut) => ingressUrls(one, leaveOut)),
    ),
    ...objects.httproutes.flatMap((one) =>
      routeMonitors('HTTPRoute', one, all, problems, (report, leaveOut) => routeUrls(one, gateways, report, leaveOut)),
    ),
    ...objects.services.flatMap((one) => serviceMonitors(one, problems)),
  ]
  return { found: preferTls(found), problems: [...new Set(problems)] }
}

function nameOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `${namespace}/${name}`
}

/** Routes that redirect to https have the same host and path, and so the same key. */
function preferTls(found: readonly Found[]): Found[] {
  const tls = new Set(found.filter(({ fields }) => fields?.url?.startsWith('https:')).map(({ key }) => key))
  return found.filter(({ key, fields }) => !(tls.has(key) && fields?.url?.startsWith('http:')))
}

/** The monitors whose address is in an annotation; without one, those that `others` returns. */
function monitorsOf(
  kind: string,
  { metadata }: KubernetesObject<unknown>,
  all: boolean,
  problems: string[],
  others: (common: Settings['common'], report: Report) => Found[],
): Found[] {
  const { namespace, name, annotations } = metadata
  const report = (problem: string): void => void problems.push(`${kind} ${nameOf(metadata)}: ${problem}`)
  const { enabled, common, monitors } = readSettings(annotations, PREFIX, report)
  if (enabled === false || !(enabled ?? (all || monitors.length > 0))) return []
  const explicit = monitors.flatMap(({ suffix, values }) => {
    const { http, tcp = '', keyword } = values
    const target = http === undefined ? tcpTarget(tcp, report) : httpTarget(http, keyword, report)
    if (target === undefined) return []
    const address = http === undefined ? tcp : shortAddress(http)
    const label = suffix === '' ? address : `${namespace}/${name} ${suffix}`
    const key = suffix === '' && http !== undefined ? keyOfUrl(http) : keyOf(namespace, name, suffix)
    return [{ key, fields: { ...fieldsOf(values, label, { namespace }, report), ...target } }]
  })
  return explicit.length > 0 ? explicit : others(common, report)
}

function routeMonitors(
  kind: string,
  object: KubernetesObject<unknown>,
  all: boolean,
  problems: string[],
  urls: (report: Report, leaveOut: (host: string) => void) => Iterable<string>,
): Found[] {
  const { namespace } = object.metadata
  return monitorsOf(kind, object, all, problems, (common, report) => {
    const leftOut = new Set<string>()
    const addresses = withPath(
      urls(report, (host) => leftOut.add(host)),
      common.path,
      report,
    )
    if (addresses.length === 0) report(`has no host that can be requested; set ${PREFIX}http to an address`)
    else
      for (const host of leftOut)
        report(`the host ${host} is left out: it cannot be requested. Annotate an object that has an address of it`)
    const shown = addresses.length === 1 ? common : { ...common, name: '' }
    return addresses.flatMap((address) => {
      const target = httpTarget(address, common.keyword, report)
      if (target === undefined) return []
      const fields = fieldsOf(shown, shortAddress(address), { namespace }, report)
      return [{ key: keyOfUrl(address), fields: { ...fields, ...target } }]
    })
  })
}

/** By host and path, so that a route that moves from an Ingress to an HTTPRoute keeps its monitor. */
function keyOfUrl(address: string): string {
  const { hostname, port, pathname } = new URL(address)
  return keyOf(hostname, port, pathname)
}

function shortAddress(address: string): string {
  return address.replace(/^https?:\/\//, '').replace(/\/$/, '')
}

/** The addresses without repetitions, at most MAX_ADDRESSES. */
function withPath(urls: Iterable<string>, path: string | undefined, report: Report): string[] {
  const addresses = new Set<string>()
  for (const url of urls) {
    const address = path === undefined ? url : new URL(`/${path.replace(/^\/+/, '')}`, url).href
    if (addresses.size === MAX_ADDRESSES && !addresses.has(address)) {
      report(`has more than ${MAX_ADDRESSES} addresses; the others are left out`)
      break
    }
    addresses.add(address)
  }
  return [...addresses]
}

/** The form of a host name (RFC 1123). Others could lead a URL elsewhere. */
function isHost(host: string): boolean {
  return host.length <= 253 && /^[a-z0-9_]([\w.-]*[a-z0-9_])?$/i.test(host)
}

/** Not a wildcard. */
function isRequestable(host: string | undefined): host is string {
  return host !== undefined && isHost(host)
}

/** cert-manager adds these for a moment. */
const CHALLENGE_PATH = '/.well-known/acme-challenge/'

function* ingressUrls({ spec }: Ingress, leaveOut: (host: string) => void): Generator<string> {
  for (const { host, paths = ['/'] } of spec.rules ?? []) {
    if (!isRequestable(host)) {
      if (host !== undefined) leaveOut(host)
      continue
    }
    const scheme = isTlsHost(spec.tls ?? [], host) ? 'https' : 'http'
    const known = paths.map((path = '/') => path)
    if (known.length > 0 && known.every((path) => path.startsWith(CHALLENGE_PATH))) continue
    for (const path of plainPaths(known)) yield `${scheme}://${host}${path}`
  }
}

function isTlsHost(tls: readonly { readonly hosts: OptionalList<string> }[], host: string): boolean {
  return tls.some(({ hosts = [] }) => {
    return hosts.length === 0 || hosts.some((one) => one === host || one === host.replace(/^[^.]+/, '*'))
  })
}

/** Paths that can be requested as they are. A regular expression counts as the root. */
function plainPaths(paths: readonly string[]): string[] {
  const plain = paths.filter((path) => /^\/[\w./~%-]*$/.test(path) && !path.startsWith(CHALLENGE_PATH))
  return plain.length === 0 ? ['/'] : [...new Set(plain)]
}

function* routeUrls(
  { metadata, spec }: HttpRoute,
  gateways: ReadonlyMap<string, Gateway>,
  report: Report,
  leaveOut: (host: string) => void,
): Generator<string> {
  const matches = (spec.rules ?? []).flatMap((rule) => rule.matches ?? [{ type: undefined, value: undefined }])
  const paths = plainPaths(matches.map(({ type, value }) => (type === 'RegularExpression' ? '' : (value ?? '/'))))
  for (const parent of spec.parentRefs ?? []) {
    if ((parent.kind ?? 'Gateway') !== 'Gateway') continue
    const name = nameOf({ namespace: parent.namespace ?? metadata.namespace, name: parent.name })
    const gateway = gateways.get(name)
    if (gateway === undefined) report(`its Gateway ${name} was not found`)
    for (const listener of gateway?.spec.listeners ?? []) {
      if (!isListener(listener, parent)) continue
      const hosts = (spec.hostnames ?? [listener.hostname ?? '']).filter((host) => isServed(listener.hostname, host))
      const scheme = listener.protocol === 'HTTPS' ? 'https' : 'http'
      const port = listener.port === (scheme === 'https' ? 443 : 80) ? '' : `:${listener.port}`
      for (const host of hosts) if (host !== '' && !isRequestable(host)) leaveOut(host)
      for (const host of hosts.filter(isRequestable))
        for (const path of paths) yield `${scheme}://${host}${port}${path}`
    }
  }
}

function isListener({ name, port, protocol }: Listener, parent: ParentRef): boolean {
  if (protocol !== 'HTTP' && protocol !== 'HTTPS') return false
  return (parent.sectionName ?? name) === name && (parent.port ?? port) === port
}

function isServed(pattern: string | undefined, host: string): boolean {
  if (pattern === undefined || pattern === host) return true
  return pattern.startsWith('*.') && host.endsWith(pattern.slice(1))
}

/** A Service is reached by its name in the cluster. It needs an annotation. */
function serviceMonitors(service: Service, problems: string[]): Found[] {
  const { namespace, name } = service.metadata
  return monitorsOf('Service', service, false, problems, (common, report) => {
    const port = portOf(service, common.port)
    if (port === undefined) {
      report(common.port === undefined ? 'has no TCP port' : `has no port ${common.port}`)
      return []
    }
    const host = service.spec.externalName ?? `${name}.${namespace}.svc`
    if (!isHost(host)) {
      report(`"${host}" is not a host name`)
      return []
    }
    const target = serviceTarget(host, port, common, report)
    if (target === undefined) return []
    const fields = fieldsOf(common, `${namespace}/${name}`, { namespace }, report)
    return [{ key: keyOf(namespace, name), fields: { ...fields, ...target } }]
  })
}

function portOf({ spec }: Service, wanted: string | undefined): ServicePort | undefined {
  const ports = (spec.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP')
  const named = ports.find(({ name, port }) => wanted === name || wanted === String(port))
  if (wanted === undefined) return ports[0]
  return named ?? (spec.externalName !== undefined && /^\d+$/.test(wanted) ? { port: Number(wanted) } : undefined)
}

/** HTTP if a path or a keyword is given, or if the port is named or declared so; otherwise a connection. */
function serviceTarget(
  host: string,
  { port, name = '', appProtocol = name }: ServicePort,
  { path, keyword }: { readonly path?: string; readonly keyword?: string },
  report: Report,
): Pick<MonitorFields, 'type' | 'url' | 'host' | 'port'> | undefined {
  const isHttp = path !== undefined || keyword !== undefined || /(^|\W)https?(\W|$)/i.test(appProtocol)
  if (!isHttp) return { type: 'PORT', host, port }
  const scheme = /https/i.test(appProtocol) || port === 443 ? 'https' : 'http'
  const shown = port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`
  return httpTarget(`${scheme}://${host}${shown}/${(path ?? '').replace(/^\/+/, '')}`, keyword, report)
}
