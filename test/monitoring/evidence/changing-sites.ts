import { createServer, type Server } from 'node:https'
import { createSecureContext } from 'node:tls'
import { type Listener, listen } from '../../outbound/fixtures.ts'
import { type Authority, type Credentials, makeAuthority } from '../../support/certificates.ts'
import { type DnsServer, NXDOMAIN, startDnsServer } from '../../support/dns-server.ts'
import type { MonitorBody } from '../../support/monitors.ts'

/** A site that a test changes while it is monitored. */
export interface Site {
  credentials: Credentials
  address: string
  alias: string
  redirect: boolean
  server: string
  title: string
  tlsDelayMs: number
  status: number
}

export interface ChangingSites extends AsyncDisposable {
  readonly trusted: Authority
  readonly other: Authority
  /** The settings of a monitor of this site, and its request options. */
  monitorOf(name: string): { settings: MonitorBody; request: object; site: Site }
}

/** HTTPS sites at `NAME.test`, behind a DNS server, with certificates of two authorities. */
export async function startChangingSites(): Promise<ChangingSites> {
  const [trusted, other] = [makeAuthority('First CA'), makeAuthority('Second CA')]
  const sites = new Map<string, Site>()
  const siteOf = (host = '') => sites.get(host.replace(/\.test(:\d+)?\.?$/, '')) as Site
  await using resources = new AsyncDisposableStack()
  const dns: DnsServer = resources.use(
    await startDnsServer(({ name, type }) => {
      const { address, alias, status } = siteOf(name)
      if (type === 'CNAME') return status === 200 ? { records: [alias] } : NXDOMAIN
      return type === 'A' ? { records: [address] } : {}
    }),
  )
  const web: Server = createServer(
    {
      ...trusted.issue({ hosts: ['nobody.test'] }),
      SNICallback: (host, done) => {
        const { tlsDelayMs, credentials } = siteOf(host)
        setTimeout(() => done(null, createSecureContext(credentials)), tlsDelayMs)
      },
    },
    ({ url, headers }, response) => {
      const site = siteOf(headers.host)
      if (site.redirect && url === '/') response.writeHead(302, { location: '/welcome' }).end()
      else
        response
          .writeHead(site.status, { server: site.server, 'content-type': 'text/html' })
          .end(`<title>${site.title}</title><p>Welcome to the shop</p>`)
    },
  )
  const listener: Listener = resources.use(await listen(web, '0.0.0.0'))
  const owned = resources.move()
  return {
    trusted,
    other,
    monitorOf(name) {
      const host = `${name}.test`
      const site: Site = {
        ...{
          credentials: trusted.issue({ hosts: [host] }),
          address: '127.0.0.1',
          alias: 'one.example',
          redirect: false,
        },
        server: 'nginx/1.26',
        title: 'Shop',
        tlsDelayMs: 0,
        status: 200,
      }
      sites.set(name, site)
      const isDns = name === 'alias'
      return {
        site,
        settings: isDns
          ? { name, type: 'DNS', url: host, dnsRecordType: 'CNAME' }
          : { name, type: 'HTTP', url: `https://${host}:${listener.port}/` },
        request: { resolver: dns.address, ...(!isDns && { ca: trusted.cert + other.cert }) },
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
