import { createDnsClient, type DnsRecordType } from '../../../outbound/dns-client.ts'
import { field, type MonitorTypeDefinition } from '../definition.ts'
import { hostOrUrl } from '../required-fields.ts'
import { type DnsTarget, probeDns } from './probe.ts'

const recordTypes: readonly DnsRecordType[] = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS']

export const dns = {
  label: 'DNS',
  fields: {
    dnsRecordType: field<DnsRecordType>(
      { type: 'string', enum: recordTypes, description: 'DNS: which records are looked up' },
      'A',
    ),
    dnsExpected: field<string | null>(
      {
        type: ['string', 'null'],
        maxLength: 2000,
        description:
          'DNS: values that must all be present, separated by commas or new lines. Private addresses are not compared where the ' +
          'installation forbids them.',
      },
      null,
    ),
    dnsAlertOnChange: field<boolean>(
      { type: 'boolean', description: 'DNS: whether contacts are alerted when the records change' },
      true,
    ),
  },
  required: {
    url: hostOrUrl('', ({ hasPort }) => (hasPort ? 'must not have a port: DNS checks do not use it' : undefined)),
  },
  usesCredentialsInUrl: false,
  targetText: ({ url }) => url,
  expiry: null,
  createProbe({ policy, dnsServers }) {
    const tools = { queryDns: createDnsClient(dnsServers, policy), policy }
    return (target: DnsTarget, signal) => probeDns(target, tools, signal)
  },
  example: { name: 'Name servers', url: 'shop.example', dnsRecordType: 'A', dnsExpected: '203.0.113.20' },
} satisfies MonitorTypeDefinition
