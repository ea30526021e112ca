import type { MonitorTypeDefinition } from '../definition.ts'
import { ANY_PORT, hostOrUrl, portZeroFault } from '../required-fields.ts'
import { probeSsl, type SslTarget } from './probe.ts'

export const ssl = {
  label: 'Certificate',
  required: { url: hostOrUrl(ANY_PORT, portZeroFault) },
  targetText: ({ url }) => url,
  expiry: { of: 'certificate', isDegraded: true },
  createProbe: (network) => (target: SslTarget, signal) => probeSsl(target, network, signal),
  example: { name: 'Certificate', url: 'https://shop.example', sslExpiryThresholdDays: 21 },
} satisfies MonitorTypeDefinition
