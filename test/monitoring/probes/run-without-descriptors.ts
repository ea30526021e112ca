/**
 * Looks at targets with no file descriptor left to open, and prints what came of it as JSON. Run with a low limit of them.
 *   node test/monitoring/probes/run-without-descriptors.ts URL
 */
import { closeSync, openSync } from 'node:fs'
import type { Sample } from '../../../src/contract/probe.ts'
import { createProbes } from '../../../src/monitoring/probes/create-probes.ts'
import { targetOf } from '../monitor-types/target.ts'

const [url = ''] = process.argv.slice(2)
const { hostname: host, port } = new URL(url)
const target = targetOf({ url, host, port: Number(port), keyword: 'ok', timeoutMs: 2_000 })
const look = createProbes({
  privateTargets: 'allow',
  confirmDelaysSeconds: [],
  dnsServers: ['127.0.0.1:53'],
  rdapBootstrap: url,
})
const { signal } = new AbortController()
// Once with descriptors to spare: everything that is loaded at the first use is loaded now.
const before = await look('HTTP', target, signal)

const held: number[] = []
try {
  for (;;) held.push(openSync('/dev/null', 'r'))
} catch {
  // This was the last one.
}
const samples: Record<string, Sample> = {}
for (const type of ['HTTP', 'KEYWORD', 'PORT', 'SSL']) samples[type] = await look(type, target, signal)
for (const descriptor of held) closeSync(descriptor)
process.stdout.write(JSON.stringify({ before, held: held.length, samples, after: await look('HTTP', target, signal) }))
process.exit(0)
