import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../../support/ports.ts'
import { BOOTSTRAP_KEY, type Client, clientOf } from '../../support/server.ts'
import { addNamespace, type Namespace, Network } from '../network.ts'
import { type Child, hasExited, type Site } from '../site.ts'

/** The node's own network, with a gateway and two monitored hosts. */
export const LAN = '10.200.1'
/** What counts as public. */
export const PUBLIC = '10.201'
export const PUBLIC6 = 'fd01:0:1'
const [LAN6, WAN6] = ['fd02:0:0:1', 'fd02:0:0:2']
const GATEWAY = `${LAN}.1`
const DNS = `${PUBLIC}.9.53`
/** Between the gateway and the public targets. */
const [GATEWAY_WAN, TARGETS_WAN, TARGETS_MAC] = ['10.202.0.1', '10.202.0.2', '02:00:00:00:00:02']

export interface LabOptions {
  /** With more than one, they share a database. */
  readonly nodes?: number
  /** Of a PostgreSQL that listens on the address of the tests. */
  readonly databaseUrl?: (address: string) => Promise<string>
}

/** A machine that can be taken off the local network. */
export type Pluggable = 'gateway' | 'neighbours' | `node ${number}`

/**
 * Nodes in a local network, a gateway, and public targets behind it, each in a network namespace. The tests reach the nodes over
 * another interface, which no fault concerns.
 */
export class Lab {
  /** One per node. */
  readonly clients: readonly Client[]
  /** Of the tests, on a network that no fault concerns. */
  readonly address: string
  readonly #site: Site
  readonly #modeFile: string
  readonly #outer: ReadonlyMap<Pluggable, string>
  readonly #bridge: string
  readonly #gateway: Namespace
  readonly #targets: Namespace

  private constructor(
    site: Site,
    clients: readonly Client[],
    parts: {
      readonly address: string
      readonly bridge: string
      readonly outer: ReadonlyMap<Pluggable, string>
      readonly gateway: Namespace
      readonly targets: Namespace
      readonly modeFile: string
    },
  ) {
    this.#site = site
    this.clients = clients
    this.address = parts.address
    this.#bridge = parts.bridge
    this.#outer = parts.outer
    this.#gateway = parts.gateway
    this.#targets = parts.targets
    this.#modeFile = parts.modeFile
  }

  static async create(site: Site, { nodes = 1, databaseUrl }: LabOptions = {}): Promise<Lab> {
    const management = await Network.create(site)
    const name = `s${process.pid.toString(36)}`
    const [lan, wan] = [`${name}l`, `${name}w`]
    for (const bridge of [lan, wan]) {
      await site.run('ip', 'link', 'add', bridge, 'type', 'bridge')
      site.atEnd(`ip link del ${bridge}`)
      await site.run('ip', 'link', 'set', bridge, 'up')
    }
    let links = 0
    const link = async (end: Namespace, device: string, bridge: string, ...addresses: readonly string[]) => {
      links += 1
      const outer = `${name}v${links}`
      await site.run('ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', device, 'netns', `${end.pid}`)
      site.atEnd(`ip link del ${outer} 2>&-`)
      await site.run('ip', 'link', 'set', outer, 'master', bridge, 'up')
      for (const address of addresses) {
        // Without duplicate detection an IPv6 address can be used at once.
        const options = address.includes(':') ? ['nodad'] : []
        await end.run('ip', 'addr', 'add', address, 'dev', device, ...options)
      }
      if (device === 'wan0') await end.run('ip', 'link', 'set', device, 'address', TARGETS_MAC)
      await end.run('ip', 'link', 'set', device, 'up')
      return outer
    }
    const [gateway, targets, neighbours] = [
      await addNamespace(site),
      await addNamespace(site),
      await addNamespace(site),
    ]
    const outer = new Map<Pluggable, string>()
    outer.set('gateway', await link(gateway, 'eth0', lan, `${GATEWAY}/24`, `${LAN6}::1/64`))
    outer.set('neighbours', await link(neighbours, 'eth0', lan, `${LAN}.50/24`, `${LAN}.51/24`))
    await link(gateway, 'eth1', wan, `${GATEWAY_WAN}/30`, `${WAN6}::1/64`)
    await link(targets, 'wan0', wan, `${TARGETS_WAN}/30`, `${DNS}/32`, `${WAN6}::2/64`)
    await targets.run('ip', 'route', 'add', 'local', `${PUBLIC}.0.0/16`, 'dev', 'lo')
    await targets.run('ip', '-6', 'route', 'add', 'local', `${PUBLIC6}::/48`, 'dev', 'lo')
    await targets.run('ip', 'route', 'add', 'default', 'via', GATEWAY_WAN)
    await targets.run('ip', '-6', 'route', 'add', 'default', 'via', `${WAN6}::1`)
    // Permanent: a gateway that cannot find its neighbour would say so, and lost packets make no sound.
    await gateway.run('ip', 'neigh', 'add', TARGETS_WAN, 'lladdr', TARGETS_MAC, 'dev', 'eth1', 'nud', 'permanent')
    await gateway.run('ip', 'route', 'add', `${PUBLIC}.0.0/16`, 'via', TARGETS_WAN)
    await gateway.run('ip', '-6', 'route', 'add', `${PUBLIC6}::/48`, 'via', `${WAN6}::2`)
    await gateway.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
    await gateway.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/all/forwarding')

    const modeFile = site.path('dns-mode')
    writeFileSync(modeFile, 'ok')
    const script = (file: string) => [process.execPath, join(import.meta.dirname, file)]
    const start = async (isReady: string, words: readonly string[], env = {}) => {
      const [command = '', ...args] = words
      await untilPrinted(site.spawn({ command, args, env }), isReady)
    }
    const servers = script('targets-process.ts')
    await start('ready', [...targets.prefix, ...servers, DNS, `${PUBLIC}.1.1`, modeFile])
    await start('ready', [...neighbours.prefix, ...servers, `${LAN}.50`, `${LAN}.50`, modeFile])
    const resolvConf = site.path('resolv.conf')
    writeFileSync(resolvConf, `nameserver ${DNS}\n`)
    const withResolver = ['unshare', '--mount', 'sh', '-c', `mount --bind ${resolvConf} /etc/resolv.conf && exec "$@"`]
    const url = await databaseUrl?.(management.address)
    const clients: Client[] = []
    for (let i = 1; i <= nodes; i += 1) {
      const host = await management.addHost()
      outer.set(`node ${i}`, await link(host, 'eth1', lan, `${LAN}.${i + 1}/24`, `${LAN6}::${i + 1}/64`))
      await host.run('ip', 'route', 'add', 'default', 'via', GATEWAY)
      await host.run('ip', '-6', 'route', 'add', 'default', 'via', `${LAN6}::1`)
      const port = await freePort()
      await start(
        'Pharos is running',
        [...host.prefix, ...withResolver, 'sh', ...script('node-process.ts'), `${PUBLIC}.`, `${PUBLIC6}:`],
        {
          HOST: host.address,
          PORT: `${port}`,
          PHAROS_DATA_DIR: site.path(`node${i}`),
          PHAROS_BOOTSTRAP_KEY: BOOTSTRAP_KEY,
          PHAROS_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
          PHAROS_RATE_LIMIT: '1000000000',
          PHAROS_CONFIRM_DELAYS: '1',
          PHAROS_PRIVATE_WEBHOOKS: 'allow',
          PHAROS_BASE_URL: 'http://pharos.test',
          ...(url !== undefined && { DATABASE_URL: url }),
        },
      )
      clients.push(clientOf(`http://${host.address}:${port}`, { 'x-api-key': BOOTSTRAP_KEY }))
    }
    return new Lab(site, clients, { address: management.address, bridge: lan, outer, gateway, targets, modeFile })
  }

  /** Of the first node. */
  get client(): Client {
    return this.clients[0] as Client
  }

  /** Takes a machine off the local network; it notices nothing. */
  async unplug(which: Pluggable): Promise<void> {
    await this.#site.run('ip', 'link', 'set', this.#outer.get(which) ?? '', 'nomaster')
  }

  async plug(which: Pluggable): Promise<void> {
    await this.#site.run('ip', 'link', 'set', this.#outer.get(which) ?? '', 'master', this.#bridge)
  }

  /** `cached`: the server answers for names that it knows, and reaches no other server. */
  setDns(mode: 'ok' | 'dead' | 'cached'): void {
    writeFileSync(this.#modeFile, mode)
  }

  /** Packets to these addresses are lost at the gateway. */
  async lose(addresses: string): Promise<void> {
    await this.#gateway.run('ip', 'route', 'add', 'blackhole', addresses)
  }

  /** Packets from the public targets to the node are lost, those to them are not. */
  async loseAnswers(): Promise<void> {
    await this.#targets.run('ip', 'route', 'add', 'blackhole', `${LAN}.0/24`)
  }

  async findAnswers(): Promise<void> {
    await this.#targets.run('ip', 'route', 'del', 'blackhole', `${LAN}.0/24`)
  }

  async find(addresses: string): Promise<void> {
    await this.#gateway.run('ip', 'route', 'del', 'blackhole', addresses)
  }
}

async function untilPrinted(child: Child, text: string): Promise<void> {
  const giveUpAt = performance.now() + 90_000
  while (!child.output.text.includes(text)) {
    if (hasExited(child) || performance.now() > giveUpAt) throw new Error(`It did not start: ${child.output.text}`)
    await delay(20)
  }
}
