import { setTimeout as delay } from 'node:timers/promises'
import { PostgresServer } from './postgres-server.ts'
import { faultRow } from './row.ts'
import { receiveAlerts } from './self-doubt/alert-receiver.ts'
import { Lab, PUBLIC } from './self-doubt/lab.ts'

/** So many that a node without any gets some. */
const MONITORS = 150
const INTERVAL_SECONDS = 30
/** The check that a cut-off node could not make: two tries of 2 s, a second between them, and the question about the network. */
const LOST_CHECK_S = 7
const PATIENCE_MS = 70_000

faultRow(
  'one of two nodes has no network, then both',
  { needs: ['network', 'mount', 'postgres'] },
  async (row, site) => {
    let postgres: PostgresServer | undefined
    const lab = await Lab.create(site, {
      nodes: 2,
      databaseUrl: async (address) => {
        postgres = await PostgresServer.start(site, { address })
        return postgres.url()
      },
    })
    const { client } = lab
    const { messages, close } = await receiveAlerts(lab)
    for (let i = 1; i <= MONITORS; i += 1) {
      const monitor = { type: 'PORT', name: `Target ${i}`, host: `${PUBLIC}.1.${i}`, port: 80 }
      await client.post('/monitors', { ...monitor, intervalSeconds: INTERVAL_SECONDS, timeoutSeconds: 2 })
    }
    const query = async (sql: string) => (await postgres?.query(sql)) ?? []
    const checkedBefore = async (at: number) =>
      Number((await query(`select count(*) from monitor_states where coalesce(last_checked_at, 0) < ${at}`))[0]?.count)
    /** How many monitors each node has. */
    const shares = async () => {
      const sql =
        'select n.name, count(s.num) from nodes n left join monitor_states s on s.claimed_by = n.name group by 1'
      return new Map((await query(`${sql} order by n.started_at`)).map(({ name, count }) => [`${name}`, Number(count)]))
    }
    const until = async (isSo: () => Promise<boolean>): Promise<number> => {
      const startedAt = performance.now()
      while (!(await isSo())) {
        if (performance.now() > startedAt + PATIENCE_MS) return Number.POSITIVE_INFINITY
        await delay(200)
      }
      return performance.now() - startedAt
    }
    const least = async () => Math.min(...(await shares()).values())
    await until(async () => (await checkedBefore(1)) === 0 && (await least()) >= MONITORS / 10)

    // Monitors that the cut-off node cannot reach are checked by the other one.
    const names = [...(await shares()).keys()]
    await lab.unplug('node 1')
    const cutAt = Date.now()
    const allChecked = await until(async () => (await checkedBefore(cutAt)) === 0)
    row.withinSeconds('one node cut off: all checked within', allChecked, INTERVAL_SECONDS + 2 * LOST_CHECK_S)
    const shown = async () => JSON.stringify([...(await shares())])
    row.holds('the cut-off node has no monitors', (await least()) === 0, await shown())
    // Without the other node the message would follow half a minute after the first lost check.
    await delay(Math.max(0, cutAt + 50_000 - Date.now()))
    row.atMost('messages while one node works', messages.length, 0)
    await row.noIncidents(client)
    await lab.plug('node 1')
    const again = await until(async () => (await least()) >= MONITORS / 10)
    row.withinSeconds('the node takes monitors again after', again, 30)
    row.holds('the nodes are the same', `${[...(await shares()).keys()]}` === `${names}`, await shown())

    await lab.lose(`${PUBLIC}.0.0/17`)
    await until(async () => messages.length > 0)
    // The other node would have sent its message by now.
    await delay(12_000)
    row.atMost('both nodes cut off: messages', messages.length, 1)
    row.holds('the message says so', /Its own network is probably down/.test(messages[0] ?? ''), messages[0])
    await row.noIncidents(client)
    await lab.find(`${PUBLIC}.0.0/17`)
    const healedAt = Date.now()
    const healed = await until(async () => (await checkedBefore(healedAt)) === 0)
    row.withinSeconds('all checked again after', healed, 15)
    await row.noIncidents(client, 'false incidents at the end')
    close()
  },
)
