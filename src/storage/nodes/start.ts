import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { type Loop, type Rest, startLoop } from '../../lib/loop.ts'
import { isoTimestamp } from '../../lib/timestamp.ts'
import { tolerate } from '../../lib/tolerate.ts'
import type { Database, Member, NodeRegistry } from '../database.ts'
import { judgeNodes, nothingObserved } from './judge.ts'
import { hasEnded, processIdOf } from './local-process.ts'
import { type ClusterNode, defaultTiming, type NodeListener, type NodeTiming } from './node.ts'
import { type ClaimTable, type CrashedRow, findOrphans, releaseOrphans, removeDeadNode, removeNode } from './release.ts'

export interface NodeOptions {
  readonly database: Database
  readonly clock: Clock
  readonly log: Log
  /** Everything whose rows nodes claim by name. */
  readonly tables: readonly ClaimTable[]
  /** Shorter in tests. */
  readonly timing?: NodeTiming
}

/** After a renewal that failed. */
const RETRY_MS = 500
const SWEEP_EVERY_MS = 5_000
const neverRenewed = { at: Number.NEGATIVE_INFINITY, wall: 0 }

/** Adds this process to the nodes of the installation, and releases what dead ones have left. */
export async function startNode(options: NodeOptions): Promise<ClusterNode> {
  const { nodeRegistry } = options.database
  if (nodeRegistry === undefined) {
    const only = singleNode()
    await sweep(options, only.name)
    return only
  }
  const node = new RegisteredNode(options, nodeRegistry)
  await node.start()
  return node
}

function newName(): string {
  return `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`
}

async function sweep({ database, clock, log, tables }: NodeOptions, self: string): Promise<number> {
  const orphans = await database.read(findOrphans(tables, self))
  if (orphans.claims.length + orphans.holders.length === 0) return 0
  const crashed = await database.write(() => releaseOrphans(orphans, clock.now()))
  logCrashed(log, crashed)
  return crashed.length
}

/** Not the rows that crashed once: those are all that a node had in progress. */
function logCrashed(log: Log, rows: readonly CrashedRow[]): void {
  for (const { queue, rowKey, crashes, retryAt } of rows) {
    const fields = { queue, row: rowKey, crashes }
    if (retryAt === null) log.error(fields, 'the server ended while it processed this row; it is not processed again')
    else if (crashes > 1) {
      const retryTime = isoTimestamp(retryAt)
      log.error(
        { ...fields, retryAt: retryTime },
        'the server ended repeatedly while it processed this row; the row waits',
      )
    }
  }
}

/** The only node of an installation on SQLite: what others have claimed is left from an earlier process. */
function singleNode(): ClusterNode {
  const name = newName()
  let monitors = 0
  return {
    name,
    isAlive: () => true,
    members: () => [{ name, renewedAt: 0, process: null, monitors }],
    reportMonitors(count) {
      monitors = count
    },
    subscribe: () => undefined,
    stop: async () => undefined,
  }
}

/** A node that renews its row to show that it is alive, and removes others that do not. */
class RegisteredNode implements ClusterNode {
  name = newName()
  readonly #options: NodeOptions
  readonly #timing: NodeTiming
  readonly #registry: NodeRegistry
  readonly #listeners: NodeListener[] = []
  readonly #process = processIdOf(process.pid)
  #loops: Loop[] = []
  #members: readonly Member[] = []
  #monitors = 0
  /** Whether the database has a row of this name. */
  #hasJoined = false
  /** The node was declared dead, and its workers wait for `rejoined`. */
  #isLost = false
  /** When the last renewal that arrived was sent: monotonic, and by the wall clock, which also runs in a suspended machine. */
  #renewed = neverRenewed
  #observation = nothingObserved
  #dead: readonly Member[] = []
  #isFailing = false
  #isUncertain = false

  constructor(options: NodeOptions, registry: NodeRegistry) {
    this.#options = options
    this.#timing = options.timing ?? defaultTiming
    this.#registry = registry
  }

  async start(): Promise<void> {
    const { log } = this.#options
    await this.#renew()
    await this.#release()
    const releasing = startLoop('releasing claims of dead nodes', log, () => this.#release())
    const renewing = startLoop('renewing this node', log, async () => {
      const rest = await this.#tick()
      if (this.#dead.length > 0) releasing.nudge()
      return rest
    })
    this.#loops = [releasing, renewing]
  }

  isAlive(): boolean {
    const { at, wall } = this.#renewed
    const { aliveForMs } = this.#timing
    return this.#hasJoined && performance.now() - at < aliveForMs && Date.now() - wall < aliveForMs
  }

  members(): readonly Member[] {
    return this.#members
  }

  reportMonitors(count: number): void {
    this.#monitors = count
  }

  subscribe(listener: NodeListener): void {
    this.#listeners.push(listener)
  }

  async stop(): Promise<void> {
    const { database, clock, tables, log } = this.#options
    await Promise.all(this.#loops.map((loop) => loop.stop()))
    this.#renewed = neverRenewed
    await database
      .write(() => removeNode(this.name, tables, clock.now()))
      .catch(tolerate(log, 'removing this node; the others remove it in a few seconds'))
  }

  async #tick(): Promise<Rest> {
    const { log } = this.#options
    try {
      await this.#renew()
    } catch (error) {
      if (!this.#isFailing) log.warn({ err: error }, 'cannot renew the row of this node; retrying')
      this.#isFailing = true
      this.#dead = []
      this.#announceUncertainty()
      return { restMs: RETRY_MS }
    }
    if (this.#isFailing) log.info('the row of this node is renewed again')
    this.#isFailing = false
    return { restMs: this.#timing.renewEveryMs }
  }

  /** With a new name each time: an earlier try may have added its row, although its answer was lost. */
  async #join(): Promise<void> {
    this.name = newName()
    await this.#registry.join(this.name, this.#process)
    this.#hasJoined = true
    this.#options.database.lockAs(this.name)
  }

  async #renew(): Promise<void> {
    if (!this.#hasJoined) await this.#join()
    const sent = { at: performance.now(), wall: Date.now() }
    const { isMember, members } = await this.#registry.renew(this.name, this.#monitors)
    if (!isMember) {
      this.#lose()
      return this.#renew()
    }
    this.#renewed = sent
    this.#isUncertain = false
    const others = members.filter(({ name }) => name !== this.name)
    const { observation, dead: silent } = judgeNodes(this.#observation, others, performance.now(), this.#timing)
    this.#observation = observation
    // A process of this host that has ended needs no wait, such as the one before a restart.
    const dead = others.filter((other) => silent.includes(other) || hasEnded(other.process, this.#process))
    this.#dead = dead
    this.#members = members.filter((member) => !dead.includes(member))
    if (this.#isLost) this.#announceReturn()
  }

  #lose(): void {
    this.#isLost = true
    this.#hasJoined = false
    this.#renewed = neverRenewed
    if (this.#monitors > 0) this.#monitors = 0
    this.#options.log.warn(
      { node: this.name },
      'other nodes declared this node dead, because its renewal was late; it drops its work and joins again',
    )
    for (const listener of this.#listeners) listener.lost?.()
  }

  #announceUncertainty(): void {
    if (this.#isUncertain || this.isAlive()) return
    this.#isUncertain = true
    for (const listener of this.#listeners) listener.uncertain?.()
  }

  #announceReturn(): void {
    this.#isLost = false
    this.#options.log.info({ node: this.name }, 'this node works again, under a new name')
    for (const listener of this.#listeners) listener.rejoined?.(this.name)
  }

  /** Uses the pool, so a slow release does not delay the renewal. */
  async #release(): Promise<Rest> {
    let isAny = false
    for (const member of this.#dead) {
      // A node that cannot be removed does not keep the others' work from being released.
      const isRemoved = await this.#remove(member).catch(tolerate(this.#options.log, 'removing a dead node'))
      if (isRemoved === true) isAny = true
    }
    if ((await sweep(this.#options, this.name)) > 0) isAny = true
    if (isAny) for (const listener of this.#listeners) listener.released?.()
    return { restMs: SWEEP_EVERY_MS }
  }

  /** False if another node has removed it, or it is alive. */
  async #remove({ name, renewedAt }: Member): Promise<boolean> {
    const { database, clock, tables, log } = this.#options
    const crashed = await database.write(() => removeDeadNode({ name, renewedAt }, tables, clock.now()))
    if (crashed === undefined) return false
    log.warn(
      { node: name, claims: crashed.length },
      'a node is dead: its renewals or its process have ended; its claims are released',
    )
    logCrashed(log, crashed)
    return true
  }
}
