import { dayOf, shortTime } from './format.ts'
import { t } from './i18n.ts'

/** Registers a sentence of the server for translation, like `t`. */
export function sentence(text: string) {
  const names: string[] = []
  const pattern = text
    .split(/\{(\w+)\}/)
    .map((part, i) => {
      if (i % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
      names.push(part)
      return '(.+?)'
    })
    .join('')
  return { text, names, pattern: new RegExp(`^${pattern}$`, 's') }
}

/** Causes of failures in the words of the probes, and entries of an incident’s timeline. A sentence that is not listed stays English. */
const sentences = [
  sentence('{cause} after a redirect to another origin, where credentials and custom headers are not sent'),
  sentence('IPv6 fails, IPv4 works: {cause}'),
  sentence('IPv4 fails, IPv6 works: {cause}'),
  sentence('IPv4 and IPv6 fail: {cause}'),
  sentence('Proxy {host}: {cause}'),
  sentence('Token endpoint {host}: {cause}'),
  sentence('HTTP {status} (expected {expected})'),
  sentence('Succeeded; {count} of {total} successes in a row that end the outage'),
  sentence('No response within {time}'),
  sentence('Response not complete after {time}'),
  sentence('DNS lookup of {type} records for {host} timed out after {time}'),
  sentence('DNS lookup of {host} timed out after {time}'),
  sentence('Connection to {host} timed out after {time}'),
  sentence('TLS handshake with {host} timed out after {time}'),
  sentence('Connection refused by {host}'),
  sentence('Connection closed by {host}'),
  sentence('No route to {host}'),
  sentence('This server has no route to {host}'),
  sentence('Connection to {host} timed out'),
  sentence('Connection to {host} failed ({code})'),
  sentence('Connection closed before the response was complete'),
  sentence('Connection closed without a response'),
  sentence('Connection closed during the TLS handshake'),
  sentence('TLS handshake failed: the server does not use TLS on this port'),
  sentence('TLS handshake failed ({code})'),
  sentence('Could not resolve {host}'),
  sentence('no access token in the response'),
  sentence('{host} has no IPv4 address'),
  sentence('{host} has no IPv6 address'),
  sentence('The server requires a client certificate'),
  sentence('The server does not offer HTTP/2 (h2), which gRPC needs'),
  sentence('The service "{name}" is {health}'),
  sentence('No DNS server responded for {host}'),
  sentence('{host} does not exist (NXDOMAIN)'),
  sentence('{host} has no {type} records'),
  sentence('The DNS server could not resolve {host} (SERVFAIL)'),
  sentence('Expected {expected}, got {found}'),
  sentence('{host} resolves to a private address, which this installation does not allow'),
  sentence('{host} is a private address, which this installation does not allow'),
  sentence('More than {count} redirects'),
  sentence('Redirected to an invalid URL'),
  sentence('Keyword "{keyword}" not found in the response'),
  sentence('Keyword "{keyword}" found in the response'),
  sentence('The server presented no certificate'),
  sentence('The certificate expired on {date}'),
  sentence('The certificate is not valid before {date}'),
  sentence('A certificate in the chain has expired'),
  sentence('The certificate is self-signed'),
  sentence('The certificate was issued by an authority that is not trusted'),
  sentence('The certificate chain is incomplete or not trusted'),
  sentence('The certificate is not trusted ({code})'),
  sentence('The certificate is not valid for {host} (valid for {names})'),
  sentence('The certificate is not valid for {host}'),
  sentence('{domain} is not registered'),
  sentence('The registration of {domain} expired on {date}'),
  sentence('No reply to 1 ping within {time}'),
  sentence('No reply to {count} pings within {time}'),
  sentence('No reply to 1 ping'),
  sentence('No reply to {count} pings'),
  sentence('Ping to {host} failed: host unreachable'),
  sentence('Ping to {host} failed: network unreachable'),
  sentence('No heartbeat since {last} (expected by {deadline})'),
  sentence('The job reported a failure'),
  sentence('The job exited with code {code}'),
  sentence('No heartbeat yet'),
  sentence('No sentinel host can be reached; this server may be offline'),
  sentence('No public target is reachable from this node'),
  sentence('No DNS server answers this node'),
  sentence('No host of the network {network} is reachable from this node'),
  sentence('Check succeeded'),
  sentence("Wrong code. Check that your device's clock is right"),
  sentence('is easy to guess. Choose one that others do not use'),
  sentence('must be an e-mail address such as ada@example.com'),
  sentence('"{label}" has {count} values, too many to group by'),
  sentence('Acknowledged by {name}'),
  sentence('Acknowledged with the API key "{name}"'),
]

/** A sentence of the server in the reader's language and time zone. */
export function causeText(cause: string): string {
  return translatedBy(sentences, cause, valueText)
}

/** The translation of the first sentence that matches, with the values that `shownValue` returns. */
export function translatedBy(
  known: readonly ReturnType<typeof sentence>[],
  sentenceOfServer: string,
  shownValue: (name: string, value: string) => string,
): string {
  for (const { text, names, pattern } of known) {
    const found = pattern.exec(sentenceOfServer)
    if (found === null) continue
    return t(text, Object.fromEntries(names.map((name, i) => [name, shownValue(name, found[i + 1] as string)])))
  }
  return sentenceOfServer
}

function valueText(name: string, value: string): string {
  if (name === 'cause') return causeText(value)
  if (name === 'expected') return expectedText(value)
  // The server writes times in UTC, because it does not know the reader: "Jan 31, 2027, 2:02 PM UTC". A day stays that day.
  const at = ['date', 'last', 'deadline'].includes(name) ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) return value
  return name === 'date' ? dayOf(new Date(at)) : shortTime(new Date(at))
}

/** "2xx or 3xx" */
export function expectedText(expected: string): string {
  const [list, last] = expected.split(' or ')
  return list === undefined || last === undefined ? expected : t('{list} or {last}', { list, last })
}
