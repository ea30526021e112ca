import { setTimeout as delay } from 'node:timers/promises'
import { Network } from './network.ts'
import { PharosNode } from './pharos-node.ts'
import { PostgresServer } from './postgres-server.ts'
import { Requests, type Sent } from './requests.ts'
import { faultRow, type Row } from './row.ts'
import type { Site } from './site.ts'
import { Targets } from './targets.ts'

const MONITORS = 30
const HANG_MS = 15_000
const ANSWER_LIMIT_S = 6
const READYZ_LIMIT_S = 2
const RECOVERY_LIMIT_S = 2
const WATCH_AFTER_MS = 6_000

faultRow('the database hangs for 15 s (all of its processes stopped)', { needs: ['postgres'] }, async (row, site) => {
  const postgres = await PostgresServer.start(site)
  await measure(row, site, postgres, {
    hang: async () => postgres.freeze(),
    resume: async () => postgres.thaw(),
  })
})

faultRow(
  'the network between nodes and database loses everything for 15 s',
  { needs: ['network', 'postgres'] },
  async (row, site) => {
    const network = await Network.create(site)
    const host = await network.addHost()
    const postgres = await PostgresServer.start(site, { host })
    await measure(row, site, postgres, { hang: () => host.cut(), resume: () => host.heal() })
  },
)

interface Fault {
  hang(): Promise<void>
  resume(): Promise<void>
}

async function measure(row: Row, site: Site, postgres: PostgresServer, { hang, resume }: Fault): Promise<void> {
  const databaseUrl = postgres.url()
  const nodes = [await PharosNode.start(site, { databaseUrl }), await PharosNode.start(site, { databaseUrl })]
  const [node] = nodes as [PharosNode, PharosNode]
  await using targets = await Targets.start()
  await targets.createMonitors(node.client, MONITORS)
  const requests = new Requests(nodes)
  await delay(6_000)
  const hungAt = performance.now()
  await hang()
  const isHungSince = performance.now()
  await delay(HANG_MS)
  const resumedAt = performance.now()
  await resume()
  await delay(WATCH_AFTER_MS)
  await requests.end()

  const duringHang = requests.all.filter(({ sentAt, endedAt }) => endedAt > hungAt && sentAt < resumedAt)
  const [asked, rest] = [duringHang.filter(isReadyz), duringHang.filter((sent) => !isReadyz(sent))]
  const inHang = ({ sentAt, endedAt }: Sent): boolean => sentAt > isHungSince && endedAt < resumedAt
  row.withinSeconds(`longest answer of ${rest.length} requests`, longest(rest), ANSWER_LIMIT_S)
  row.atMost('answers during the hang other than 500', wrong(rest.filter(inHang), 500), 0)
  row.withinSeconds(`longest answer of ${asked.length} requests of /readyz`, longest(asked), READYZ_LIMIT_S)
  const settled = asked.filter(inHang).filter(({ sentAt }) => sentAt > hungAt + READYZ_LIMIT_S * 1_000)
  row.atMost('of them other than 503 after 2 s', wrong(settled, 503), 0)
  const reason = settled.find(({ status }) => status === 503)?.body ?? 'no answer'
  row.holds('/readyz names the reason', /"reason":"[^"]{10,}"/.test(reason), reason)
  row.withinSeconds('recovery', recoveredMs(requests.all, resumedAt), RECOVERY_LIMIT_S)
  row.atMost(`of ${requests.keys.length} writes lost or doubled`, await requests.lostOrDoubled(node, MONITORS), 0)
  await row.noIncidents(node.client)
}

function isReadyz({ kind }: Sent): boolean {
  return kind === 'readyz'
}

function longest(sent: readonly Sent[]): number {
  return Math.max(0, ...sent.map(({ sentAt, endedAt }) => endedAt - sentAt))
}

function wrong(sent: readonly Sent[], expected: number): number {
  return sent.filter(({ status }) => status !== expected).length
}

/** From the end of the fault to the last request that was sent and failed, or took more than a second. */
function recoveredMs(all: readonly Sent[], resumedAt: number): number {
  const late = all.filter(({ status, sentAt, endedAt }) => {
    return sentAt > resumedAt && (status === null || status >= 300 || endedAt - sentAt > 1_000)
  })
  return Math.max(0, ...late.map(({ sentAt }) => sentAt - resumedAt))
}
