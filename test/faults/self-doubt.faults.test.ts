import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../support/server.ts'
import { faultRow, type Row } from './row.ts'
import { LAN, Lab, PUBLIC, PUBLIC6 } from './self-doubt/lab.ts'

const PUBLIC_TARGETS = 10
/** The DNS server, too. */
const EVERYTHING_PUBLIC = `${PUBLIC}.0.0/17`
const EVERYTHING_PUBLIC6 = `${PUBLIC6}::/49`
const TIMEOUT_SECONDS = 2
/** Two tries of two seconds, and a second between them. */
const CHECK_MS = 2 * TIMEOUT_SECONDS * 1_000 + 1_000

interface Checked {
  readonly id: string
  readonly host: string
  readonly state: string
  readonly isInconclusive: boolean
  readonly tookMs: number
}

class Monitors {
  readonly #client: Client
  readonly #hosts = new Map<string, string>()

  constructor(client: Client) {
    this.#client = client
  }

  async create(): Promise<void> {
    const named = ['a.shop.test', 'b.shop.test', 'c.other.test']
    const numbered = Array.from({ length: PUBLIC_TARGETS }, (_, i) => `${PUBLIC}.1.${i + 1}`)
    const ipv6 = [`[${PUBLIC6}::1]`, `[${PUBLIC6}::2]`]
    for (const host of [...numbered, ...named, ...ipv6, `${LAN}.50`, `${LAN}.51`]) {
      const settings = { type: 'HTTP', name: host, url: `http://${host}/`, intervalSeconds: 3600 }
      const { status, body } = await this.#client.post('/monitors', { ...settings, timeoutSeconds: TIMEOUT_SECONDS })
      if (status !== 201) throw new Error(JSON.stringify(body))
      this.#hosts.set(body.id, host)
    }
  }

  /** Checks those with these hosts at once. */
  async check(isWanted: (host: string) => boolean = () => true): Promise<readonly Checked[]> {
    const wanted = [...this.#hosts].filter(([, host]) => isWanted(host))
    return Promise.all(
      wanted.map(async ([id, host]) => {
        const startedAt = performance.now()
        const { status, headers, body } = await this.#client.post(`/monitors/${id}/check`, {})
        if (status !== 200) throw new Error(JSON.stringify(body))
        const tookMs = performance.now() - startedAt
        return { id, host, state: body.state, isInconclusive: headers.has('x-pharos-check'), tookMs }
      }),
    )
  }
}

const isLan = (host: string) => host.startsWith(LAN)
const isIpv6 = (host: string) => host.startsWith('[')
const isNamed = (host: string) => host.endsWith('.test')

const listed = (checked: readonly Checked[]) =>
  checked.map(({ host, state, isInconclusive }) => `${host} ${isInconclusive ? 'inconclusive' : state}`).join(', ')

faultRow("the node's own network fails, or only its targets do", { needs: ['network', 'mount'] }, async (row, site) => {
  const lab = await Lab.create(site)
  const monitors = new Monitors(lab.client)
  await monitors.create()
  await requireUp(row, 'before', monitors)

  /** A fault of ours: checks of the affected targets are inconclusive, the others are up, and nothing is down. */
  const cutOff = async (
    what: string,
    isAffected: (host: string) => boolean,
    begin: () => unknown,
    end: () => unknown,
  ) => {
    await begin()
    const checked = await monitors.check()
    const wrong = checked.filter(
      ({ host, state, isInconclusive }) => isInconclusive !== isAffected(host) || state !== 'UP',
    )
    row.holds(`${what}: inconclusive where it concerns them, up otherwise`, wrong.length === 0, listed(wrong))
    await row.noIncidents(lab.client, `${what}: false incidents`)
    await end()
    await requireUp(row, `after ${what}`, monitors)
  }

  await cutOff(
    'packets lost beyond the gateway',
    (host) => !isLan(host) && !isIpv6(host),
    () => lab.lose(EVERYTHING_PUBLIC),
    () => lab.find(EVERYTHING_PUBLIC),
  )
  await cutOff(
    'answers lost (one-way loss)',
    (host) => !isLan(host) && !isIpv6(host),
    () => lab.loseAnswers(),
    () => lab.findAnswers(),
  )
  await cutOff(
    'IPv6 packets lost beyond the gateway',
    isIpv6,
    () => lab.lose(EVERYTHING_PUBLIC6),
    () => lab.find(EVERYTHING_PUBLIC6),
  )
  await cutOff(
    'gateway dead',
    (host) => !isLan(host),
    () => lab.unplug('gateway'),
    () => lab.plug('gateway'),
  )
  await cutOff(
    'node unplugged',
    () => true,
    () => lab.unplug('node 1'),
    () => lab.plug('node 1'),
  )
  await cutOff(
    'DNS dead',
    isNamed,
    () => lab.setDns('dead'),
    () => lab.setDns('ok'),
  )
  await cutOff(
    'DNS without its upstream, names cached',
    (host) => host === 'c.other.test',
    () => lab.setDns('cached'),
    () => lab.setDns('ok'),
  )

  // Real outages, while the network of the node works.
  const one = `${PUBLIC}.1.3`
  await lab.lose(`${one}/32`)
  const [lost] = await monitors.check((host) => host === one)
  row.holds(
    'one target that is lost is down',
    lost?.state === 'DOWN' && !lost.isInconclusive,
    listed(lost ? [lost] : []),
  )
  row.withinSeconds('longer than a check without self-doubt', (lost?.tookMs ?? 0) - CHECK_MS, 2.5)
  await lab.find(`${one}/32`)
  await requireUp(row, 'after the outage of one target', monitors)

  await lab.lose(`${PUBLIC}.1.0/24`)
  const all = await monitors.check((host) => !isLan(host) && !isIpv6(host))
  const notDown = all.filter(({ state }) => state !== 'DOWN')
  row.holds('if all public targets are lost and DNS answers, all are down', notDown.length === 0, listed(notDown))
  await lab.find(`${PUBLIC}.1.0/24`)
  await requireUp(row, 'after the outage of all targets', monitors)

  await lab.unplug('neighbours')
  const neighbours = await monitors.check(isLan)
  const wrong = neighbours.filter(({ state }) => state !== 'DOWN')
  row.holds('if all private targets are lost and the gateway answers, all are down', wrong.length === 0, listed(wrong))
  await lab.plug('neighbours')
  await requireUp(row, 'after the outage of the private targets', monitors)
})

async function requireUp(row: Row, when: string, monitors: Monitors): Promise<void> {
  let notUp: readonly Checked[] = []
  for (let tries = 0; tries < 5; tries += 1) {
    notUp = (await monitors.check()).filter(({ state, isInconclusive }) => state !== 'UP' || isInconclusive)
    if (notUp.length === 0) break
    await delay(500)
  }
  row.holds(`${when}: all are up`, notUp.length === 0, listed(notUp))
}
