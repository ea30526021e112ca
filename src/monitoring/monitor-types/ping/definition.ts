import type { ProbeTarget } from '../../../contract/probe.ts'
import type { MonitorTypeDefinition } from '../definition.ts'
import { host } from '../required-fields.ts'
import { createPinger } from './pinger.ts'
import { probePing } from './probe.ts'

export const ping = {
  label: 'Ping',
  required: { host: host() },
  targetText: (target) => target.host,
  createProbe({ guard }) {
    const tools = { guard, pinger: createPinger() }
    return (target: ProbeTarget, signal) => probePing(target, tools, signal)
  },
  example: { name: 'Gateway', host: '203.0.113.1', intervalSeconds: 60 },
} satisfies MonitorTypeDefinition
