import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { makeAuthority } from '../../support/certificates.ts'
import { emptyDataDir } from '../../support/sqlite.ts'

export const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.discovery'

type Texts = Readonly<Record<string, string>>

function metadata(name: string, annotations: Texts) {
  return { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: '7', annotations }
}

/** Objects as the API lists them. */
export function ingress(name: string, spec: object, annotations: Texts = { 'pharos.io/enabled': 'true' }) {
  return { metadata: metadata(name, annotations), spec, status: { loadBalancer: {} } }
}

export function rule(host: string, ...paths: string[]) {
  const backend = { service: { name: 'web', port: { number: 80 } } }
  return { host, http: { paths: paths.map((path) => ({ path, pathType: 'Prefix', backend })) } }
}

export function gateway(name: string, ...listeners: object[]) {
  return { metadata: metadata(name, {}), spec: { gatewayClassName: 'envoy', listeners } }
}

export function route(name: string, spec: object, annotations: Texts = { 'pharos.io/enabled': 'true' }) {
  return { metadata: metadata(name, annotations), spec }
}

export function service(name: string, ports: readonly object[], annotations: Texts) {
  return { metadata: metadata(name, annotations), spec: { type: 'ClusterIP', clusterIP: '10.0.0.7', ports } }
}

const groups: Readonly<Record<string, string>> = {
  ingresses: '/apis/networking.k8s.io/v1',
  httproutes: '/apis/gateway.networking.k8s.io/v1',
  gateways: '/apis/gateway.networking.k8s.io/v1',
  services: '/api/v1',
}

/** Lists and watches of the Kubernetes API over TLS, with tokens and client certificates. Lists have pages of two objects. */
export async function startCluster() {
  const authority = makeAuthority('cluster')
  const objects: Record<string, object[]> = { ingresses: [], httproutes: [], gateways: [], services: [] }
  const watches = new Set<{ name: string; response: ServerResponse }>()
  const requests: string[] = []
  let version = 100
  let missing: readonly string[] = []
  let forbidden: readonly string[] = []

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://cluster')
    requests.push(String(request.url))
    const refuse = (code: number, message: string) =>
      response.writeHead(code).end(JSON.stringify({ kind: 'Status', status: 'Failure', message, code }))
    const isCertified = (request.socket as TLSSocket).authorized
    if (request.headers.authorization !== `Bearer ${TOKEN}` && !isCertified) return void refuse(401, 'Unauthorized')
    const name = String(pathname.split('/').at(-1))
    if (missing.includes(name) || !pathname.startsWith(groups[name] ?? '?')) return void refuse(404, 'page not found')
    if (forbidden.includes(name)) {
      return void refuse(403, `${name} is forbidden: User "discovery" cannot list resource "${name}"`)
    }
    if (searchParams.get('watch') === '1') {
      if (Number(searchParams.get('resourceVersion')) < version) return void refuse(410, 'too old resource version')
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
      const watch = { name, response }
      watches.add(watch)
      response.once('close', () => watches.delete(watch))
      return
    }
    const all = objects[name] ?? []
    const from = Number(searchParams.get('continue') ?? 0)
    const next = from + 2 < all.length ? String(from + 2) : ''
    const page = { resourceVersion: String(version), ...(next !== '' && { continue: next }) }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ kind: 'List', apiVersion: 'v1', metadata: page, items: all.slice(from, from + 2) }))
  }

  const server = createServer(
    { ...authority.issue({ hosts: ['127.0.0.1'] }), ca: authority.cert, requestCert: true, rejectUnauthorized: false },
    answer,
  )
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authority,
    objects,
    requests,
    watches,
    set missing(names: readonly string[]) {
      missing = names
    },
    set forbidden(names: readonly string[]) {
      forbidden = names
    },
    /** Changes a list, and sends an event to those who watch it. */
    change(name: string, items: object[], type = 'MODIFIED'): void {
      version += 1
      objects[name] = items
      const event = `${JSON.stringify({ type, object: items[0] ?? { code: 410 } })}\n`
      // In two chunks, as a network may deliver it.
      for (const watch of watches) if (watch.name === name) watch.response.write(event.slice(0, 9))
      for (const watch of watches) if (watch.name === name) watch.response.write(event.slice(9))
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The path of a kubeconfig for the cluster. */
export function kubeconfig(
  { url, authority }: Awaited<ReturnType<typeof startCluster>>,
  user: object,
  ca = authority.cert,
): string {
  const path = join(emptyDataDir(), 'config')
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') }
  const config = {
    'current-context': 'lab',
    contexts: [{ name: 'lab', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
  }
  writeFileSync(path, JSON.stringify(config))
  return path
}
