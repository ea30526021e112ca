import { hasExited, type Site } from './site.ts'

/** A machine in the test's network: a network namespace with one address. */
export interface Host {
  readonly address: string
  /** Goes before a command that is to run on it; the process keeps its number. */
  readonly prefix: readonly string[]
  /** From now on every packet from and to it is lost without an answer. */
  cut(): Promise<void>
  heal(): Promise<void>
}

/** The variable that the test runner sets when the run has a network namespace of its own. */
export const networkVariable = 'PHAROS_TEST_PRIVATE_NETWORK'

/** The kernel removes the interfaces of a network after its row has ended, at some time: names are not used twice. */
let networks = 0

/**
 * A bridge in the namespace of the test run, with the address that the tests themselves have, and a pair of virtual interfaces to
 * each host. A host is cut off by taking its interface off the bridge: its own side notices nothing.
 */
export class Network {
  readonly site: Site
  readonly address: string
  readonly #bridge: string
  readonly #net: string
  #hosts = 0

  private constructor(site: Site) {
    this.site = site
    // Only the workers of this run share the namespace, and each has one network at a time. A name has at most 15 characters.
    networks += 1
    this.#bridge = `p${process.pid.toString(36)}n${networks}`
    this.#net = `10.${(process.pid >> 8) & 255}.${process.pid & 255}`
    this.address = `${this.#net}.1`
  }

  static async create(site: Site): Promise<Network> {
    if (process.env[networkVariable] === undefined) throw new Error('This run has no network namespace of its own.')
    const network = new Network(site)
    await network.#ip('link', 'add', network.#bridge, 'type', 'bridge')
    site.atEnd(`ip link del ${network.#bridge}`)
    await network.#ip('addr', 'add', `${network.address}/24`, 'dev', network.#bridge)
    await network.#ip('link', 'set', network.#bridge, 'up')
    return network
  }

  async addHost(): Promise<Host> {
    this.#hosts += 1
    const address = `${this.#net}.${this.#hosts + 1}`
    const outer = `${this.#bridge}v${this.#hosts}`
    // The namespace lives as long as this process.
    const holder = this.site.spawn({ command: 'unshare', args: ['--net', 'sleep', 'infinity'] })
    const prefix = ['nsenter', `--net=/proc/${holder.pid}/ns/net`]
    await this.#untilUnshared(holder.pid)
    if (hasExited(holder)) throw new Error(`unshare --net: ${holder.output.text}`)
    await this.#ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${holder.pid}`)
    // Removes both ends.
    this.site.atEnd(`ip link del ${outer} 2>&-`)
    await this.#ip('link', 'set', outer, 'master', this.#bridge, 'up')
    const inside = (...args: readonly string[]): Promise<string> =>
      this.site.run(...(prefix as [string, string]), 'ip', ...args)
    await inside('link', 'set', 'lo', 'up')
    await inside('addr', 'add', `${address}/24`, 'dev', 'eth0')
    await inside('link', 'set', 'eth0', 'up')
    return {
      address,
      prefix,
      cut: async () => void (await this.#ip('link', 'set', outer, 'nomaster')),
      heal: async () => void (await this.#ip('link', 'set', outer, 'master', this.#bridge)),
    }
  }

  async #untilUnshared(pid: number): Promise<void> {
    const own = await this.site.run('readlink', '/proc/self/ns/net')
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await this.site.run('readlink', `/proc/${pid}/ns/net`)) !== own) return
    }
  }

  #ip(...args: readonly string[]): Promise<string> {
    return this.site.run('ip', ...args)
  }
}
