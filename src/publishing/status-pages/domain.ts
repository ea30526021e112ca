import { isIP } from 'node:net'
import { isLocalhost, LOOPBACK_ADDRESSES } from '../../outbound/urls.ts'

/** What DNS says of a name; null where nobody could be asked. */
export interface Records {
  readonly cname: string | null
  readonly addresses: readonly string[] | null
}

/** Where this installation is, as far as visitors can tell. */
export interface Here {
  readonly host: string
  readonly addresses: readonly string[]
}

export interface DomainVerdict {
  readonly pointsHere: boolean
  readonly message: string
}

/** The addresses of a host that nobody needs to look up. */
export function plainAddresses(host: string): readonly string[] | undefined {
  if (isIP(host) !== 0) return [host]
  return isLocalhost(host) ? LOOPBACK_ADDRESSES : undefined
}

/** Whether a domain leads here, and what to do where it does not. */
export function judgeDomain(domain: string, { cname, addresses }: Records, here: Here): DomainVerdict {
  if (addresses === null) {
    return { pointsHere: false, message: `${domain} could not be looked up: no DNS server answered. Try again.` }
  }
  const strange = addresses.filter((address) => !here.addresses.includes(address))
  if (addresses.length > 0 && (cname === here.host || strange.length === 0)) {
    return { pointsHere: true, message: `${domain} leads here.` }
  }
  const wrong =
    addresses.length === 0
      ? `${domain} leads nowhere yet.`
      : `${domain} leads to ${strange.join(', ')}, which is not here.`
  return { pointsHere: false, message: `${wrong} ${adviceOf(domain, here)}` }
}

function adviceOf(domain: string, { host, addresses }: Here): string {
  if (isLocalhost(host)) {
    return `This installation is at ${host}, where no visitor finds it: set PHAROS_BASE_URL to its public address first.`
  }
  const plain = addresses.map((address) => `${isIP(address) === 6 ? 'AAAA' : 'A'} ${address}`).join(', ')
  if (isIP(host) !== 0) return `Make this record for ${domain}: ${plain}.`
  const instead = plain === '' ? '' : ` A domain that cannot have a CNAME record gets ${plain} instead.`
  return `Make this record for ${domain}: CNAME ${host}.${instead}`
}
