/**
 * A node that sends, signs and records deliveries, which are all pending before it starts. Prints one line of JSON.
 *   node bench/support/webhooks.ts URL COUNT ENDPOINTS BODY_BYTES
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { insertKey } from '../../src/accounts/keys/insert.ts'
import { createOrganization } from '../../src/accounts/organizations/create.ts'
import { emit } from '../../src/events/emit.ts'
import { silentLog } from '../../src/lib/log.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { startPharos } from '../../src/server/start.ts'
import { execute, q } from '../../src/storage/query.ts'
import { create, KEY } from './processes.ts'

const [url = '', count = '40000', endpoints = '16', bytes = '1500'] = process.argv.slice(2)
const dataDir = mkdtempSync(join(tmpdir(), 'pharos-webhooks-'))

function start(roles: string) {
  const config = readConfig({
    ...process.env,
    PORT: '0',
    PHAROS_DATA_DIR: dataDir,
    PHAROS_BOOTSTRAP_KEY: KEY,
    PHAROS_SECRET_KEY: Buffer.alloc(32, 9).toString('base64'),
    PHAROS_RATE_LIMIT: '1000000000',
    PHAROS_METRICS_LISTEN: '0',
    PHAROS_PRIVATE_WEBHOOKS: 'allow',
    PHAROS_ROLES: roles,
  })
  return startPharos(config, { log: silentLog })
}

async function prepare(): Promise<void> {
  const { database, url: api, stop } = await start('api')
  // A reused database holds endpoints of earlier runs.
  const { orgId, key } = await database.write(function* () {
    const { id } = yield* createOrganization({ name: 'Bench', plan: 'SELF_HOSTED' }, Date.now())
    const created = yield* insertKey({ orgId: id, name: 'bench', access: 'full', expiresAt: null }, Date.now())
    return { orgId: id, key: created.secret }
  })
  for (let i = 0; i < Number(endpoints); i += 1) {
    await create({ url: api }, '/webhook-endpoints', { url: `${url}/${i}` }, key)
  }
  const data = JSON.stringify({ filler: 'x'.repeat(Number(bytes) - 130) })
  const events = Math.ceil(Number(count) / Number(endpoints))
  for (let created = 0; created < events; created += 100) {
    await database.write(function* () {
      const now = Date.now()
      for (let i = 0; i < Math.min(100, events - created); i += 1)
        yield* emit({ orgId, type: 'monitor.created', data, now })
    })
  }
  await stop()
}

await prepare()
const running = await start('sender')

async function attempts(): Promise<number> {
  const text = await (await fetch(running.metricsUrl as string)).text()
  return Number(/^pharos_webhook_attempts_total\{outcome="succeeded"\} (\d+)/m.exec(text)?.[1] ?? 0)
}

const total = Math.ceil(Number(count) / Number(endpoints)) * Number(endpoints)
while ((await attempts()) < total / 6) await setTimeout(200)
const before = { cpu: process.cpuUsage(), at: performance.now(), attempts: await attempts() }
const pending = q.selectFrom('webhook_endpoints').select('id').where('due_at', 'is not', null).limit(1)
while ((await attempts()) < total) await setTimeout(200)
// The last deliveries count once they are recorded and their endpoints are released.
while ((await running.database.read(execute(pending))).length > 0) await setTimeout(10)
const { user, system } = process.cpuUsage(before.cpu)
const sent = total - before.attempts
process.stdout.write(
  `${JSON.stringify({
    perSecond: (sent / (performance.now() - before.at)) * 1000,
    cpuUs: (user + system) / sent,
    rssMb: process.memoryUsage.rss() / 1e6,
  })}\n`,
)
await running.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exit(0)
