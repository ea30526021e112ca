import { isIP } from 'node:net'
import type { ProbeTarget } from '../../../contract/probe.ts'
import type { MonitorTypeDefinition } from '../definition.ts'
import { ANY_PORT, hostOrUrl } from '../required-fields.ts'
import { candidatesOf, looksLikeSuffix } from './candidate-names.ts'
import { createDomainTools, probeDomain } from './probe.ts'

export const domain = {
  label: 'Domain',
  required: { url: hostOrUrl(ANY_PORT, ({ host }) => domainFault(host)) },
  targetText: ({ url }) => url,
  expiry: { of: 'domain', isDegraded: true },
  createProbe(network) {
    const tools = createDomainTools(network)
    return (target: ProbeTarget, signal) => probeDomain(target, tools, signal)
  },
  example: { name: 'Registration', url: 'shop.example', sslExpiryThresholdDays: 30 },
} satisfies MonitorTypeDefinition

function domainFault(host: string): string | undefined {
  if (isIP(host) !== 0) return 'must be a domain name, not an IP address'
  const isRegistrable = candidatesOf(host).some((name) => !looksLikeSuffix(name))
  return isRegistrable ? undefined : 'must have a domain name that can be registered, such as shop.example'
}
