export interface HostAndPort {
  /** As look-ups want it: lower case, in ASCII, without brackets and final dot. */
  readonly host: string
  /** Undefined when it is not said, or said to be that of https. */
  readonly port: number | undefined
}

/** What the `url` of a DNS, SSL or DOMAIN monitor names: an address, a bare host name, or host:port. */
export function parseHostAndPort(value: string): HostAndPort | undefined {
  const rest = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
  // URL would leave tabs and line breaks out without a word, and take what follows a third slash for the host.
  if (/^[/\\]|[\s\p{Cc}]/u.test(rest)) return undefined
  // Read as https whatever the scheme: only for schemes it knows does URL turn a name into lower case and punycode.
  const url = URL.parse(`https://${rest}`)
  const host = url?.hostname.replace(/^\[|\]$|\.+$/g, '') ?? ''
  if (url === null || host === '') return undefined
  return { host, port: url.port === '' ? undefined : Number(url.port) }
}
