import type { Findings, Found, MonitorFields } from '../found.ts'
import { keyOf } from '../keys.ts'
import { fieldsOf, httpTarget, type Report, readSettings, type Settings, tcpTarget } from '../settings.ts'

type Texts = Readonly<Record<string, string>>

/** The parts of objects that discovery reads. */
interface KubernetesObject<Spec> {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly annotations?: Texts }
  readonly spec: Spec
}

type Ingress = KubernetesObject<{
  readonly tls?: readonly { readonly hosts?: readonly string[] }[]
  readonly rules?: readonly {
    readonly host?: string
    readonly http?: { readonly paths?: readonly { readonly path?: string; readonly pathType?: string }[] }
  }[]
}>

interface ParentRef {
  readonly kind?: string
  readonly name: string
  readonly namespace?: string
  readonly sectionName?: string
  readonly port?: number
}

type HttpRoute = KubernetesObject<{
  readonly hostnames?: readonly string[]
  readonly parentRefs?: readonly ParentRef[]
  readonly rules?: readonly {
    readonly matches?: readonly { readonly path?: { readonly type?: string; readonly value?: string } }[]
  }[]
}>

interface Listener {
  readonly name: string
  readonly hostname?: string
  readonly port: number
  readonly protocol: string
}

type Gateway = KubernetesObject<{ readonly listeners?: readonly Listener[] }>

interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly appProtocol?: string
}

type Service = KubernetesObject<{
  readonly ports?: readonly ServicePort[]
  readonly type?: string
  readonly externalName?: string
}>

export interface ClusterObjects {
  readonly ingresses: readonly Ingress[]
  readonly httproutes: readonly HttpRoute[]
  readonly gateways: readonly Gateway[]
  readonly services: readonly Service[]
}

const PREFIX = 'pharos.io/'

/** The monitors that objects with annotations describe. With `all`, every Ingress and HTTPRoute counts that is not disabled. */
export function mapObjects(objects: ClusterObjects, all: boolean): Findings {
  const problems: string[] = []
  const found = [
    ...objects.ingresses.flatMap((one) => routeMonitors('Ingress', one, all, problems, () => ingressUrls(one))),
    ...objects.httproutes.flatMap((one) =>
      routeMonitors('HTTPRoute', one, all, problems, (report) => routeUrls(one, objects.gateways, report)),
    ),
    ...objects.services.flatMap((one) => serviceMonitors(one, problems)),
  ]
  return { found: preferTls(found), problems: [...new Set(problems)] }
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
  const { namespace, name, annotations = {} } = metadata
  const report = (problem: string): void => void problems.push(`${kind} ${namespace}/${name}: ${problem}`)
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
  urls: (report: Report) => readonly string[],
): Found[] {
  const { namespace } = object.metadata
  return monitorsOf(kind, object, all, problems, (common, report) => {
    const addresses = withPath(urls(report), common.path)
    if (addresses.length === 0) report(`has no host that can be requested; set ${PREFIX}http to an address`)
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

function withPath(urls: readonly string[], path: string | undefined): string[] {
  if (path === undefined) return [...new Set(urls)]
  return [...new Set(urls.map((url) => new URL(`/${path.replace(/^\/+/, '')}`, url).href))]
}

function isRequestable(host: string | undefined): host is string {
  return host !== undefined && host !== '' && !host.includes('*')
}

/** cert-manager adds these for a moment. */
const CHALLENGE_PATH = '/.well-known/acme-challenge/'

function ingressUrls({ spec }: Ingress): string[] {
  const rules = spec.rules ?? []
  return rules.flatMap(({ host, http }) => {
    if (!isRequestable(host)) return []
    const scheme = isTlsHost(spec.tls ?? [], host) ? 'https' : 'http'
    const paths = (http?.paths ?? [{}]).map(({ path = '/' }) => path)
    if (paths.length > 0 && paths.every((path) => path.startsWith(CHALLENGE_PATH))) return []
    return plainPaths(paths).map((path) => `${scheme}://${host}${path}`)
  })
}

function isTlsHost(tls: readonly { readonly hosts?: readonly string[] }[], host: string): boolean {
  return tls.some(({ hosts = [] }) => {
    return hosts.length === 0 || hosts.some((one) => one === host || one === host.replace(/^[^.]+/, '*'))
  })
}

/** Paths that can be requested as they are. A regular expression counts as the root. */
function plainPaths(paths: readonly string[]): string[] {
  const plain = paths.filter((path) => /^\/[\w./~%-]*$/.test(path) && !path.startsWith(CHALLENGE_PATH))
  return plain.length === 0 ? ['/'] : [...new Set(plain)]
}

function routeUrls({ metadata, spec }: HttpRoute, gateways: readonly Gateway[], report: Report): string[] {
  const matches = (spec.rules ?? []).flatMap((rule) => rule.matches ?? [{}])
  const paths = matches.map(({ path }) => (path?.type === 'RegularExpression' ? '' : (path?.value ?? '/')))
  const parents = (spec.parentRefs ?? []).filter(({ kind = 'Gateway' }) => kind === 'Gateway')
  const listeners = parents.flatMap((parent) => {
    const namespace = parent.namespace ?? metadata.namespace
    const gateway = gateways.find((one) => one.metadata.name === parent.name && one.metadata.namespace === namespace)
    if (gateway === undefined) report(`its Gateway ${namespace}/${parent.name} was not found`)
    return (gateway?.spec.listeners ?? []).filter((listener) => isListener(listener, parent))
  })
  return listeners.flatMap((listener) => {
    const hosts = (spec.hostnames ?? [listener.hostname ?? '']).filter((host) => isServed(listener.hostname, host))
    const scheme = listener.protocol === 'HTTPS' ? 'https' : 'http'
    const port = listener.port === (scheme === 'https' ? 443 : 80) ? '' : `:${listener.port}`
    return hosts
      .filter(isRequestable)
      .flatMap((host) => plainPaths(paths).map((path) => `${scheme}://${host}${port}${path}`))
  })
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
    const target = serviceTarget(service.spec.externalName ?? `${name}.${namespace}.svc`, port, common)
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
): Pick<MonitorFields, 'type' | 'url' | 'host' | 'port'> {
  const isHttp = path !== undefined || keyword !== undefined || /(^|\W)https?(\W|$)/i.test(appProtocol)
  if (!isHttp) return { type: 'PORT', host, port }
  const scheme = /https/i.test(appProtocol) || port === 443 ? 'https' : 'http'
  const shown = port === (scheme === 'https' ? 443 : 80) ? '' : `:${port}`
  const url = `${scheme}://${host}${shown}/${(path ?? '').replace(/^\/+/, '')}`
  return { type: keyword ? 'KEYWORD' : 'HTTP', url }
}
