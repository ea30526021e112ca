import { createDnsClient } from '../../../outbound/dns-client.ts'
import type { MonitorTypeDefinition } from '../definition.ts'
import { choice, flag, text } from '../fields.ts'
import { hostOrUrl } from '../required-fields.ts'
import { type DnsTarget, probeDns } from './probe.ts'

export const dns = {
  label: 'DNS',
  fields: {
    dnsRecordType: choice(['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS'], 'DNS: which records are looked up'),
    dnsExpected: text(
      2000,
      'DNS: values that must all be present, separated by commas or new lines. Private addresses are not compared where the ' +
        'installation forbids them.',
    ),
    dnsAlertOnChange: flag(true, 'DNS: whether contacts are alerted when the records change'),
  },
  required: {
    url: hostOrUrl('', ({ hasPort }) => (hasPort ? 'must not have a port: DNS checks do not use it' : undefined)),
  },
  targetText: ({ url }) => url,
  createProbe({ guard, policy, dnsServers }) {
    const tools = { guard, queryDns: createDnsClient(dnsServers, policy), policy }
    return (target: DnsTarget, signal) => probeDns(target, tools, signal)
  },
  example: { name: 'Name servers', url: 'shop.example', dnsRecordType: 'A', dnsExpected: '203.0.113.20' },
} satisfies MonitorTypeDefinition
