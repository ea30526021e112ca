import { isIP } from 'node:net'
import { isLocalhost, LOOPBACK_ADDRESSES } from '../../outbound/urls.ts'

/** DNS records of a name; `addresses` is null if no DNS server answered. */
export interface Records {
  readonly cname: string | null
  readonly addresses: readonly string[] | null
}

/** The host of the base URL and its addresses. */
export interface InstallationHost {
  readonly host: string
  readonly addresses: readonly string[]
}

export interface DomainVerdict {
  readonly pointsHere: boolean
  readonly message: string
}

/** The addresses of an IP literal or localhost; undefined for names that need a DNS lookup. */
export function literalAddresses(host: string): readonly string[] | undefined {
  if (isIP(host) !== 0) return [host]
  return isLocalhost(host) ? LOOPBACK_ADDRESSES : undefined
}

/** Whether a domain points to this installation, with advice if it does not. */
export function judgeDomain(
  domain: string,
  { cname, addresses }: Records,
  installation: InstallationHost,
): DomainVerdict {
  if (addresses === null) {
    return { pointsHere: false, message: `${domain} could not be looked up: no DNS server answered. Try again.` }
  }
  const foreign = addresses.filter((address) => !installation.addresses.includes(address))
  if (addresses.length > 0 && (cname === installation.host || foreign.length === 0)) {
    return { pointsHere: true, message: `${domain} points to this server.` }
  }
  const wrong =
    addresses.length === 0
      ? `${domain} has no DNS record yet.`
      : `${domain} points to ${foreign.join(', ')}, which is not this server.`
  return { pointsHere: false, message: `${wrong} ${dnsAdvice(domain, installation)}` }
}

function dnsAdvice(domain: string, { host, addresses }: InstallationHost): string {
  if (isLocalhost(host)) {
    return `Pharos runs at ${host}, which visitors cannot reach. Set PHAROS_BASE_URL to its public URL first.`
  }
  const plain = addresses.map((address) => `${isIP(address) === 6 ? 'AAAA' : 'A'} ${address}`).join(', ')
  if (isIP(host) !== 0) return `Make this record for ${domain}: ${plain}.`
  const instead = plain === '' ? '' : ` A domain that cannot have a CNAME record gets ${plain} instead.`
  return `Make this record for ${domain}: CNAME ${host}.${instead}`
}
