import { setTimeout as delay } from 'node:timers/promises'
import { Load, recoveryMs, startChecking, startWriting } from './load.ts'
import { PostgresServer } from './postgres-server.ts'
import { faultRow } from './row.ts'

const WRITERS = 6
const ENOUGH_WRITES = 500
/** From the promotion; nodes need to notice it. */
const RECOVERY_LIMIT_S = 2

faultRow(
  'the primary is killed under load, and its synchronous standby promoted',
  { needs: ['postgres'] },
  async (row, site) => {
    const primary = await PostgresServer.start(site)
    const standby = await primary.addStandby()
    await primary.makeSynchronous()
    const urlOf = (database: string): string =>
      `postgres://pharos@${primary.address}:${primary.port},${standby.address}:${standby.port}/${database}` +
      '?target_session_attrs=read-write'
    const nodes = [await startWriting(site, urlOf('pharos')), await startWriting(site, urlOf('pharos'))]
    await using checking = await startChecking(site, primary, urlOf)
    const load = new Load(nodes, WRITERS)
    await load.untilAnswered(ENOUGH_WRITES)
    const before = load.counts.answered
    await primary.kill()
    await delay(1_000)
    await standby.promote()
    row.withinSeconds('recovery after the promotion', await recoveryMs([...nodes, checking.node]), RECOVERY_LIMIT_S)
    await load.untilAnswered(ENOUGH_WRITES)
    row.atLeast('writes acknowledged before it', before, 100)
    row.atLeast('writes acknowledged after the promotion', load.counts.answered - before, 100)
    const acknowledged = await load.verify(standby.url())
    row.atMost(`of ${acknowledged} acknowledged writes lost or doubled`, 0, 0)
    await row.noIncidents(checking.node.client)
  },
)
