import { BlockList, isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

interface HostSettings {
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy: readonly string[]
  /** The header that names the host, in lower case. */
  readonly hostHeader: string
}

type RequestHead = Pick<FastifyRequest, 'headers'> & {
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
  const proxies = blockListOf(trustProxy)
  return (request) => {
    const address = request.socket.remoteAddress
    const given = request.headers[hostHeader]
    if (given === undefined || address === undefined || !isListed(proxies, address)) return ofHost(request)
    // Each proxy appends its value, so the last one is from the trusted proxy.
    return (Array.isArray(given) ? given.join(',') : given).split(',').at(-1)?.trim() ?? ''
  }
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, familyOf(address))
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
