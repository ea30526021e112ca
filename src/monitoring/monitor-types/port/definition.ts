import type { MonitorTypeDefinition } from '../definition.ts'
import { anyValue, host, hostAndPortText } from '../required-fields.ts'
import { type PortTarget, probePort } from './probe.ts'

export const port = {
  label: 'Port',
  required: { host: host('; use the field port'), port: anyValue },
  targetText: hostAndPortText,
  createProbe: (network) => (target: PortTarget, signal) => probePort(target, network, signal),
  example: { name: 'Database', host: 'db.shop.example', port: 5432 },
} satisfies MonitorTypeDefinition
