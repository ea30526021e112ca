import type { RunProbe } from '../../contract/probe.ts'
import type { Log } from '../../lib/log.ts'
import type { Sealer } from '../../lib/seal.ts'
import { AssignedChecks } from '../../monitoring/checks/assigned-checks.ts'
import { CheckConfigCache } from '../../monitoring/checks/check-config.ts'
import type { CheckSource } from '../../monitoring/checks/check-source.ts'
import { type Checker, startChecker } from '../../monitoring/checks/checker.ts'
import { SingleNodeChecks } from '../../monitoring/checks/single-node-checks.ts'
import { createPinger } from '../../monitoring/monitor-types/ping/pinger.ts'
import { createProbePool } from '../../monitoring/probes/pool.ts'
import { SelfDoubt } from '../../monitoring/probes/self-doubt.ts'
import type { Database } from '../../storage/database.ts'
import type { ClusterNode } from '../../storage/nodes/node.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { type RunningWorker, runAsNode } from './run-as-node.ts'

export interface CheckWorker {
  readonly runProbe: RunProbe
  /** Looks for due checks now. */
  nudge(): void
}

/** Checks that one node runs at the same time. */
const CAPACITY = 2_000
/** Reported as its number of monitors by a node without the role `checker`, and by one that lacks a network. */
const CHECKS_NONE = -1

/** Starts the probe pool, and the checker on nodes with the role `checker`. */
export async function startCheckWorker(parts: WorkerDependencies, undo: (() => unknown)[]): Promise<CheckWorker> {
  const { config, database, sealer, clock, log, metrics, node, baseUrl, isPublic } = parts
  const pool = createProbePool(config, log)
  undo.push(() => pool.close())
  const { selfDoubt, sentinels, dnsServers } = config
  const doubt = new SelfDoubt(pool.runProbe, { selfDoubt, sentinels, dnsServers, isPublic, log })
  undo.push(() => doubt.stop())
  logPingMethod(log, metrics)
  let checker: RunningWorker<Checker> | undefined
  if (config.roles.includes('checker')) {
    let source: CheckSource | undefined
    node.subscribe({
      // After a network outage the retries of its checks would reach targets that another node checks by now.
      uncertain: () => checker?.current?.abortChecks(),
      released: () => source?.nodeRemoved?.(),
    })
    checker = runAsNode(node, log, undo, (name) => {
      source = checkSource(database, sealer, node, name, () => doubt.isCutOff)
      const { runProbe } = doubt
      return startChecker({
        database,
        clock,
        log,
        baseUrl,
        source,
        runProbe,
        counts: metrics.checks,
        capacity: CAPACITY,
      })
    })
    doubt.onReachable = () => void checker?.current?.recheckCutOff()
  } else node.reportMonitors(CHECKS_NONE)
  metrics.observeChecker(() => checker?.current)
  return { runProbe: counting(doubt.runProbe, metrics), nudge: () => checker?.nudge() }
}

/** Only one process uses a data folder (lockDataDir); nodes on PostgreSQL divide the monitors among them. */
function checkSource(
  database: Database,
  sealer: Sealer,
  node: ClusterNode,
  name: string,
  isCutOff: () => boolean,
): CheckSource {
  const configs = new CheckConfigCache(sealer)
  if (database.engine === 'sqlite') return new SingleNodeChecks(database, configs)
  return new AssignedChecks({
    database,
    configs,
    name,
    cluster: {
      isAlive: () => node.isAlive(),
      isCutOff,
      members: () => node.members().filter(({ monitors }) => monitors !== CHECKS_NONE),
      reportMonitors: (count) => node.reportMonitors(isCutOff() ? CHECKS_NONE : count),
    },
  })
}

/** Counts inconclusive checks that users start; the checker counts its own. */
function counting(look: RunProbe, { checks }: Metrics): RunProbe {
  return async (...job) => {
    const sample = await look(...job)
    if (sample.outcome === 'inconclusive') checks.inconclusive(sample.reason)
    return sample
  }
}

/** Logs once if this system offers no way to ping: PING checks are then inconclusive. */
function logPingMethod(log: Log, metrics: Metrics): void {
  using pinger = createPinger()
  const { ipv4, ipv6, sentence } = pinger.methods()
  metrics.pingMethods.set({ ipv4, ipv6 }, 1)
  if (ipv4 === 'none') log.warn(`ping monitors do not work on this machine: ${sentence}`)
}
