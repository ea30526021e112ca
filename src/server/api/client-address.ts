import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The address that rate limits count by. An IPv6 client counts by its /64 network, because it can use any address in it. */
export function clientAddress({ ip }: { readonly ip: string }): string {
  if (!ip.includes(':') || isIP(ip) !== 6 || ip.startsWith('::ffff:')) return ip
  const network = ipaddr.IPv6.parse(ip).parts.slice(0, 4)
  return `${network.map((part) => part.toString(16)).join(':')}::/64`
}
