export interface HostAndPort {
  /** As resolvers need it: lower case, in ASCII, without brackets and final dot. */
  readonly host: string
  /** Undefined if absent or 443. */
  readonly port: number | undefined
  /** Also if it is 443. */
  readonly hasPort: boolean
}

/** Parses the `url` of a DNS, SSL or DOMAIN monitor: a URL, a host name, or host:port. */
export function parseHostAndPort(value: string): HostAndPort | undefined {
  const rest = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  // URL would silently remove tabs and line breaks, and treat the text after a third slash as the host.
  if (/^[/\\]|[\s\p{Cc}]/u.test(rest)) return undefined
  // Parsed as https whatever the scheme: URL converts to lower case and punycode only for known schemes.
  const url = URL.parse(`https://${rest}`)
  const host = url?.hostname.replace(/^\[|\]$|\.+$/g, '') ?? ''
  if (url === null || host === '') return undefined
  const hasPort = /^[^/?#\\]*:\d+([/?#\\]|$)/.test(rest)
  return { host, port: url.port === '' ? undefined : Number(url.port), hasPort }
}

/** The values of the Host headers in the settings of a monitor, which decide which site of a server answers. */
export function hostHeadersIn(headers: Readonly<Record<string, string>> | null | undefined): string[] {
  const found = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === 'host')
  return found.map(([, value]) => value.trim())
}
