import { isIP, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { DnsRecordType } from '../../../outbound/dns-client.ts'

/** Brings records into the form in which they are compared and stored: servers may write the same set differently. */
export function normalise(type: DnsRecordType, records: readonly string[]): string[] {
  const sorted = [...new Set(records.map((record) => normaliseOne(type, record)))].sort()
  if (type !== 'A' && type !== 'AAAA') return sorted
  // A note about withheld addresses comes last.
  return [...sorted.filter((record) => isIP(record) !== 0), ...sorted.filter((record) => isIP(record) === 0)]
}

function normaliseOne(type: DnsRecordType, record: string): string {
  const text = record.trim().toLowerCase()
  switch (type) {
    case 'A':
    case 'TXT':
      return text
    case 'AAAA':
      return isIPv6(text) ? ipaddr.parse(text).toString() : text
    case 'MX': {
      const [, priority, host] = /^(\d+)\s+(.*)$/s.exec(text) ?? [undefined, undefined, text]
      return priority === undefined ? nameOf(host) : `${Number(priority)} ${nameOf(host)}`
    }
    case 'CNAME':
    case 'NS':
      return nameOf(text)
  }
}

/** The root keeps its dot: `0 .` is the MX record of a domain that accepts no mail. */
function nameOf(text: string): string {
  return text.replace(/\.+$/, '') || '.'
}

/** The values of `dnsExpected` that are not among the (normalised) records, as their author wrote them. */
export function missingValues(type: DnsRecordType, expected: string, records: readonly string[]): string[] {
  const present = new Set(records)
  // An MX record may be expected by its host alone.
  if (type === 'MX') for (const record of records) present.add(record.replace(/^\d+ /, ''))
  const isPresent = (value: string) =>
    present.has(normaliseOne(type, value)) || (type === 'TXT' && present.has(normaliseOne(type, unquoted(value))))
  return expected.split('\n').flatMap((line) => {
    // A TXT record may contain commas, so a line that is a whole record is not split.
    if (isPresent(line)) return []
    const values = line.split(',').map((value) => value.trim())
    return values.filter((value) => value !== '' && !isPresent(value))
  })
}

/** Zone files and `dig` write TXT records in quotes, long ones in several. */
function unquoted(value: string): string {
  return value.trim().replace(/^"|"$/g, '').replaceAll(/"\s+"/g, '')
}
