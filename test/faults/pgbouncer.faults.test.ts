import { setTimeout as delay } from 'node:timers/promises'
import { Load, recoveryMs, startWriting } from './load.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { startPgbouncer } from './proxies.ts'
import { faultRow } from './row.ts'
import { hasExited } from './site.ts'

const LOAD_MS = 4_000
const RECOVERY_LIMIT_S = 2

faultRow(
  'PgBouncer in session mode is killed and restarted',
  { needs: ['postgres', 'pgbouncer'] },
  async (row, site) => {
    const postgres = await PostgresServer.start(site)
    const pgbouncer = await startPgbouncer(site, postgres, 'session')
    const nodes = [await startWriting(site, pgbouncer.url), await startWriting(site, pgbouncer.url)]
    const [node] = nodes as [PharosNode, PharosNode]
    const load = new Load(nodes, 4)
    await delay(LOAD_MS)
    await pgbouncer.restart()
    row.withinSeconds('recovery', await recoveryMs(nodes), RECOVERY_LIMIT_S)
    await delay(LOAD_MS)
    const acknowledged = await load.verify(postgres.url())
    row.atMost(`of ${acknowledged} acknowledged writes lost or doubled`, 0, 0)
    await row.noIncidents(node.client)
  },
)

faultRow('PgBouncer is in transaction mode', { needs: ['postgres', 'pgbouncer'] }, async (row, site) => {
  const postgres = await PostgresServer.start(site)
  const pgbouncer = await startPgbouncer(site, postgres, 'transaction')
  const node = await PharosNode.create(site, { databaseUrl: pgbouncer.url })
  const child = node.launch('start')
  const giveUpAt = performance.now() + 30_000
  const isRunning = (): boolean => child.output.text.includes('Pharos is running')
  while (!hasExited(child) && !isRunning() && performance.now() < giveUpAt) await delay(50)
  if (hasExited(child)) {
    row.holds('the start is refused with the reason', /session/.test(child.output.text), child.output.text)
    return
  }
  row.holds('the node starts', isRunning(), child.output.text)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      node.client.post('/monitors', { type: 'CRON', name: `${i}` }, { 'idempotency-key': `${i}` }),
    ),
  )
  row.atMost('of 40 writes failed', answers.filter(({ status }) => status !== 201).length, 0)
  row.holds('it is ready', (await node.ready()).status === 200)
})
