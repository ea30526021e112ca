import { hasExited, type Site } from './site.ts'

/** A network namespace. It lives as long as the process. */
export interface Namespace {
  readonly pid: number
  /** Goes before a command that is to run in it; the process keeps its number. */
  readonly prefix: readonly [string, string]
  run(...command: readonly string[]): Promise<string>
}

export async function addNamespace(site: Site): Promise<Namespace> {
  const holder = site.spawn({ command: 'unshare', args: ['--net', 'sleep', 'infinity'] })
  const { pid } = holder
  const own = await site.run('readlink', '/proc/self/ns/net')
  for (let tries = 0; tries < 100; tries += 1) {
    if ((await site.run('readlink', `/proc/${pid}/ns/net`)) !== own) break
  }
  if (hasExited(holder)) throw new Error(`unshare --net: ${holder.output.text}`)
  const prefix = ['nsenter', `--net=/proc/${pid}/ns/net`] as const
  const run = (...command: readonly string[]) => site.run(...prefix, ...command)
  await run('ip', 'link', 'set', 'lo', 'up')
  return { pid, prefix, run }
}

/** A machine in the test's network: a network namespace with one address. */
export interface Host extends Namespace {
  readonly address: string
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
    const namespace = await addNamespace(this.site)
    await this.#ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', `${namespace.pid}`)
    // Removes both ends.
    this.site.atEnd(`ip link del ${outer} 2>&-`)
    await this.#ip('link', 'set', outer, 'master', this.#bridge, 'up')
    await namespace.run('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0')
    await namespace.run('ip', 'link', 'set', 'eth0', 'up')
    return {
      ...namespace,
      address,
      cut: async () => void (await this.#ip('link', 'set', outer, 'nomaster')),
      heal: async () => void (await this.#ip('link', 'set', outer, 'master', this.#bridge)),
    }
  }

  #ip(...args: readonly string[]): Promise<string> {
    return this.site.run('ip', ...args)
  }
}
