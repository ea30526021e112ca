import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

interface HostSettings {
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy: readonly string[]
  /** The header that names the host, in lower case. */
  readonly hostHeader: string
}

export type RequestHead = Pick<FastifyRequest, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/**
 * Reads the host that a request is for: the Host header, or the header that the operator has named if the request comes
 * directly from a trusted proxy. Fastify's `request.hostname` would accept X-Forwarded-Host from every trusted proxy, also
 * from one that passes on what the client sent.
 */
export function createHostReader({ trustProxy, hostHeader }: HostSettings): (request: RequestHead) => string {
  const ofHost = ({ headers }: RequestHead): string => headers.host ?? ''
  if (hostHeader === 'host') return ofHost
  const isProxy = createPeerCheck(trustProxy)
  return (request) => {
    const given = request.headers[hostHeader]
    if (given === undefined || !isProxy(request)) return ofHost(request)
    // Each proxy appends its value, so the last one is from the trusted proxy.
    return (Array.isArray(given) ? given.join(',') : given).split(',').at(-1)?.trim() ?? ''
  }
}

/** Tells whether a request comes directly from one of these addresses or networks. */
export function createPeerCheck(networks: readonly string[]): (request: Pick<RequestHead, 'socket'>) => boolean {
  const list = blockListOf(networks)
  return ({ socket: { remoteAddress } }) =>
    remoteAddress !== undefined && list.check(remoteAddress, familyOf(remoteAddress))
}

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    if (bits === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(bits), familyOf(address))
  }
  return list
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}
