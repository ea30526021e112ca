import { setSelfHostedRawResultsDays } from '../accounts/plans/plans.ts'
import type { AccountSettings } from '../contract/app-operation.ts'
import type { Operation } from '../contract/operation.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { SendTiming } from '../notifications/contacts/settle.ts'
import { parseAddressPolicy } from '../outbound/address-policy.ts'
import { createDnsClient } from '../outbound/dns-client.ts'
import { openOidc } from '../outbound/oidc.ts'
import { type Database, StorageUnusable } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import type { Migration } from '../storage/migrations/migration.ts'
import type { NodeTiming } from '../storage/nodes/node.ts'
import { startNode } from '../storage/nodes/start.ts'
import { openDatabase } from '../storage/open.ts'
import { countSetAside } from '../storage/queue/crashes.ts'
import { lockDataDir } from '../storage/sqlite/database.ts'
import { BulkTurns } from './api/bulk-turns.ts'
import { trackKeyUsage } from './api/key-usage.ts'
import { ReplayLimits } from './api/replay-limits.ts'
import { type Bootstrapped, bootstrap, createFirstUser } from './bootstrap.ts'
import { type Config, rateLimitOf } from './config/config.ts'
import { type DashboardFiles, dashboardFolder, readDashboard } from './dashboard/static-files.ts'
import { requireDataFolder, tightenDataFolder } from './data-folder.ts'
import { announceStop, drain } from './drain.ts'
import { startForeignThreads } from './foreign-threads.ts'
import { openInstallation } from './installation.ts'
import { listen } from './listen.ts'
import { startMetricsListener } from './metrics/listener.ts'
import { createMetrics, observeClockSkew, observeSetAside } from './metrics/metrics.ts'
import { appOperations } from './operations/app-table.ts'
import { operations as allOperations } from './operations/table.ts'
import { readiness } from './readiness.ts'
import { claimSealKey, loadSealer } from './seal-keys.ts'
import { createServer, type ServerOptions, type SlowReaderLimits } from './server.ts'
import { startAlertWorker } from './workers/alerts.ts'
import { startCheckWorker } from './workers/checks.ts'
import { claimTables } from './workers/claim-tables.ts'
import { startDomainWorker } from './workers/custom-domains.ts'
import { startDeliveryWorker } from './workers/deliveries.ts'
import { startHousekeeping } from './workers/housekeeping.ts'
import { startMaintenanceWorker } from './workers/maintenance.ts'
import { startShadowRunWorker } from './workers/shadow-runs.ts'
import { startWebhookWorker } from './workers/webhooks.ts'

export interface RunningServer {
  /** Where it listens. */
  readonly url: string
  readonly metricsUrl: string | undefined
  readonly database: Database
  readonly bootstrapped: Bootstrapped
  /** Whether the dashboard is built. */
  readonly hasDashboard: boolean
  /**
   * Refuses new requests, finishes running ones, and stops all workers. Before that it serves for `drainMs` while /readyz
   * answers 503, so that load balancers move on to other nodes.
   */
  stop(drainMs?: number): Promise<void>
}

export interface StartOptions {
  /** Replaces the clock of the storage in tests. */
  readonly clock?: Clock
  readonly log: Log
  /** Replaces the table of operations in tests. */
  readonly operations?: readonly Operation[]
  /** Shorter in tests. */
  readonly timeouts?: Timeouts
  /** Bounds for clients that do not read responses; smaller in tests. */
  readonly slowReaders?: SlowReaderLimits
  /** Spacing of alerts to contacts; shorter in tests. */
  readonly alertPace?: SendTiming
  /** Renewals of this node; faster in tests. */
  readonly node?: { readonly timing: NodeTiming }
  /** Which targets are public; tests use private addresses alone. */
  readonly isPublic?: (address: string) => boolean
  /** Read once by tests that start many servers. */
  readonly dashboard?: DashboardFiles | undefined
  /** More migrations in tests. */
  readonly migrations?: readonly Migration[]
  /** Skips waiting for the disk in tests. */
  readonly sqliteSynchronous?: 'off'
}

interface Timeouts {
  /** For a client to send the request headers. */
  readonly headersMs: number
  /** For a client to send the body. */
  readonly bodyMs: number
  /** For running requests to finish after a stop. */
  readonly drainMs: number
  /** Interval of keep-alive comments in event streams. */
  readonly beatMs?: number
}

const defaultTimeouts: Timeouts = { headersMs: 10_000, bodyMs: 20_000, drainMs: 15_000 }

/** Starts a node: storage, migrations, first organization, workers, listeners. Stops everything again if a step fails. */
export async function startPharos(config: Config, options: StartOptions): Promise<RunningServer> {
  const { log, operations = allOperations, timeouts = defaultTimeouts, isPublic } = options
  setSelfHostedRawResultsDays(config.rawResultsDays)
  const undo: (() => unknown)[] = []
  const stopAll = (): Promise<void> => undoAll(undo, log)
  try {
    const database = await openStorage(config, options, undo)
    const { clock = database.clock } = options
    const sealer = loadSealer(config.secretKeys, config.dataDir)
    const applied = await migrate(database, clock.now(), options.migrations, (text) => log.info(text))
    if (applied.length > 0) log.info(`the database has schema ${applied.at(-1)?.id} now`)
    await claimSealKey(database, sealer)
    const bootstrapped = await database.write(() => bootstrap(database.engine, config.bootstrapKey, clock.now()))
    if (config.firstUser !== undefined && (await createFirstUser(database, config.firstUser, clock.now())))
      log.info('created the first user, as PHAROS_FIRST_USER_EMAIL says')

    const metrics = createMetrics(config.metrics !== undefined)
    observeClockSkew(metrics.registry, systemClock, clock)
    observeSetAside(metrics.registry, () => database.read(countSetAside(clock.now())))

    const notReady = new AbortController()
    const stopping = new AbortController()
    // With port 0, the port is known after listening.
    let baseUrl = config.baseUrl ?? `http://localhost:${config.port}`
    const node = await startNode({ database, clock, log, tables: claimTables, ...options.node })
    undo.push(() => node.stop())
    const keyUsage = trackKeyUsage(database, () => clock.now())
    const housekeeping = startHousekeeping({ database, keyUsage, clock, log })
    undo.push(() => keyUsage.flush())
    const replayLimits = new ReplayLimits(database, log)
    undo.push(() => replayLimits.stop())
    undo.push(() => housekeeping.stop())
    const foreign = startForeignThreads(log, undo)
    const parts = { config, database, sealer, clock, log, metrics, node, foreign, isPublic, baseUrl: () => baseUrl }
    const checker = await startCheckWorker(parts, undo)
    const sender = startWebhookWorker(parts, undo)
    startMaintenanceWorker(
      { config, database, clock, log, nudgeChecker: () => checker.nudge(), nudgeSender: () => sender.nudge() },
      undo,
    )
    const queryDns = createDnsClient(config.dnsServers, parseAddressPolicy(config.privateTargets))
    const domains = await startDomainWorker({ ...parts, queryDns }, undo)
    startShadowRunWorker(parts, undo)
    const { runProbe } = checker
    const installation = openInstallation({ ...parts, runProbe, queryDns }, undo)
    startAlertWorker({ ...parts, ...(options.alertPace && { pace: options.alertPace }) }, undo)
    startDeliveryWorker(parts, undo)
    const { dashboard = readDashboard(dashboardFolder) } = options
    const server = createServer({
      dashboard,
      accounts: openAccounts(config),
      operations,
      appOperations,
      database,
      sealer,
      installation,
      clock,
      log,
      keyUsage,
      metrics,
      bulkTurns: new BulkTurns(database),
      replayLimits,
      rateLimit: rateLimitOf(config),
      stopping: stopping.signal,
      headersTimeoutMs: timeouts.headersMs,
      bodyTimeoutMs: timeouts.bodyMs,
      ...(timeouts.beatMs !== undefined && { beatMs: timeouts.beatMs }),
      ...(options.slowReaders && { slowReaders: options.slowReaders }),
      trustProxy: config.trustProxy,
      hostHeader: config.hostHeader,
      canMail: config.mail !== undefined,
      poweredBy: config.poweredBy,
      subscriberPolicy: parseAddressPolicy(config.privateSubscribers),
      checkReady: readiness(database, notReady.signal),
      onChange: () => {
        checker.nudge()
        sender.nudge()
        domains.nudge()
      },
    } satisfies ServerOptions)
    const listener = await listen(server, config.host, config.port)
    const { url } = listener
    baseUrl = config.baseUrl ?? url.replace('//127.0.0.1:', '//localhost:')
    undo.push(() => drain(server, listener, timeouts.drainMs, () => stopping.abort()))
    undo.push(() => metrics.ready.set(0))
    undo.push(() => notReady.abort())
    metrics.ready.set(1)

    const metricsUrl = config.metrics && (await startMetricsListener(config.metrics, metrics, undo))
    return {
      url,
      metricsUrl,
      database,
      bootstrapped,
      hasDashboard: dashboard !== undefined,
      stop: (drainMs = 0) => announceStop(server, drainMs, () => notReady.abort()).then(stopAll),
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** A step that fails is logged, and the remaining steps still run. */
export async function undoAll(undo: (() => unknown)[], log: Log): Promise<void> {
  for (const step of undo.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      log.error({ err: error }, 'part of the server did not stop cleanly')
    }
  }
}

async function openStorage(
  config: Config,
  { clock = systemClock, log, sqliteSynchronous }: StartOptions,
  undo: (() => unknown)[],
): Promise<Database> {
  const { databaseUrl, databasePool: poolSize, dataDir, secretKeys } = config
  if (databaseUrl === undefined || secretKeys.length === 0) requireDataFolder(dataDir)
  tightenDataFolder(dataDir, log)
  const database = await openDatabase(
    { databaseUrl, poolSize, dataDir, rateLimit: rateLimitOf(config), sqliteSynchronous },
    clock,
    log,
  )
  undo.push(() => database.close())
  await pingAtStart(database).catch((error) => {
    throw new StorageUnusable(`${databaseUrl === undefined ? 'PHAROS_DATA_DIR' : 'DATABASE_URL'}: ${error.message}`, {
      cause: error,
    })
  })
  if (database.engine === 'sqlite') {
    const lock = lockDataDir(dataDir)
    undo.push(() => lock.release())
  }
  return database
}

/** Each ping fails after about a second without an answer. PostgreSQL may need longer on a busy machine. */
const PINGS_AT_START = 5

async function pingAtStart(database: Database): Promise<void> {
  for (let left = PINGS_AT_START - 1; left > 0; left -= 1) {
    const isAnswering = await database.ping().then(
      () => true,
      () => false,
    )
    if (isAnswering) return
  }
  await database.ping()
}

function openAccounts({ oidc, openSignup, signupPlan }: Config): AccountSettings {
  return { openSignup, signupPlan, oidc: oidc && { ...openOidc(oidc), signupRole: oidc.signupRole } }
}
