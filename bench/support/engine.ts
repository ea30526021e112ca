/**
 * A whole node that checks, with a clock that runs faster, so that a few thousand monitors give as many checks a second as
 * wanted. Run as a process of its own: prints one line of JSON with the CPU time per check that landed.
 *   node bench/support/engine.ts TYPE TARGET CHECKS MONITORS SPEED
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { readConfig } from '../../src/app/config.ts'
import { startPharos } from '../../src/app/start.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { silentLog } from '../../src/lib/log.ts'
import { KEY } from './processes.ts'

const [type = 'HTTP', target = '', checks = '30000', monitors = '3000', speed = '20'] = process.argv.slice(2)

const startedAt = Date.now()
const clock: Clock = { now: () => Math.floor(startedAt + (Date.now() - startedAt) * Number(speed)) }

const dataDir = mkdtempSync(join(tmpdir(), 'pharos-engine-'))
const config = readConfig({
  PORT: '0',
  PHAROS_DATA_DIR: dataDir,
  PHAROS_BOOTSTRAP_KEY: KEY,
  PHAROS_RATE_LIMIT: '1000000000',
  PHAROS_METRICS_LISTEN: '0',
})
const running = await startPharos(config, { clock, log: silentLog })

const url = new URL(target)
const subject =
  type === 'PORT' ? { type, host: url.hostname, port: Number(url.port) } : { type, url: target, verifySsl: false }
const body = JSON.stringify({ name: 'bench', intervalSeconds: 30, timeoutSeconds: 30, ...subject })
for (let made = 0; made < Number(monitors); made += 100) {
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      const headers = { 'x-api-key': KEY, 'content-type': 'application/json' }
      const answer = await fetch(`${running.url}/api/v1/monitors`, { method: 'POST', headers, body })
      if (answer.status !== 201) throw new Error(await answer.text())
      await answer.arrayBuffer()
    }),
  )
}

async function landed(): Promise<number> {
  const text = await (await fetch(running.metricsUrl as string)).text()
  return Number(/^pharos_checks_total (\d+)/m.exec(text)?.[1] ?? 0)
}

const warmUp = Number(checks) / 5
while ((await landed()) < warmUp) await setTimeout(100)

const loop = monitorEventLoopDelay({ resolution: 10 })
loop.enable()
const before = {
  cpu: process.cpuUsage(),
  at: performance.now(),
  count: await landed(),
  loop: performance.eventLoopUtilization(),
}
while ((await landed()) - before.count < Number(checks)) await setTimeout(100)
const cpu = process.cpuUsage(before.cpu)
const seconds = (performance.now() - before.at) / 1000
const count = (await landed()) - before.count
const { utilization } = performance.eventLoopUtilization(before.loop)
const states = await (await fetch(`${running.url}/api/v1/monitors?limit=100`, { headers: { 'x-api-key': KEY } })).json()
const up = (states as { data: { state: string }[] }).data.filter(({ state }) => state === 'UP').length

process.stdout.write(
  `${JSON.stringify({
    cpuUs: (cpu.user + cpu.system) / count,
    perSecond: count / seconds,
    mainThreadBusy: utilization,
    loopP99Ms: loop.percentile(99) / 1e6,
    rssMb: process.memoryUsage.rss() / 1e6,
    upOf100: up,
  })}\n`,
)
await running.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
