import { hostOf, withoutTrailingDots } from '../../outbound/urls.ts'

const MAX_DOMAIN_LENGTH = 253

/** A host name in lower case and ASCII, as Host headers contain it; undefined if it is not a domain name. */
export function normalizeDomain(text: string): string | undefined {
  if (/[\s\p{Cc}:/?#@\\%[\]]/u.test(text)) return undefined
  const host = URL.parse(`https://${text}`)?.hostname ?? ''
  const labels = host.split('.')
  const isName = labels.length > 1 && labels.every((label) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(label))
  // A numeric last label means an IPv4 address.
  return isName && host.length <= MAX_DOMAIN_LENGTH && !/^\d+$/.test(labels.at(-1) as string) ? host : undefined
}

/** The host of the base URL, without a trailing dot. */
export function installationHost(baseUrl: string): string {
  return withoutTrailingDots(hostOf(new URL(baseUrl)))
}

/** The host of the installation and all names below it. A page there could imitate the dashboard and set its cookies. */
export function isReserved(domain: string, baseUrl: string): boolean {
  const host = installationHost(baseUrl)
  return domain === host || domain.endsWith(`.${host}`)
}

/** What is wrong with a custom domain, or null. */
export function domainFault(text: string, baseUrl: string): string | null {
  const domain = normalizeDomain(text)
  if (domain === undefined) return 'must be a host name such as status.example.com, without scheme, port and path'
  if (!isReserved(domain, baseUrl)) return null
  const host = installationHost(baseUrl)
  return domain === host
    ? 'is the address of this installation itself'
    : `must not be below ${host}, the address of this installation; use a domain of your own`
}
