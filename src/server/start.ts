import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { setSelfHostedRawResultsDays } from '../accounts/plans/plans.ts'
import { issueSetupToken } from '../accounts/sign-in/set-up.ts'
import type { Operation } from '../contract/operation.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { createDnsClient } from '../outbound/dns-client.ts'
import type { SendTiming } from '../notifications/contacts/settle.ts'
import { parsePolicy } from '../outbound/addresses.ts'
import type { Database } from '../storage/database.ts'
import { migrate } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open.ts'
import { lockDataDir } from '../storage/sqlite/database.ts'
import { openAccounts } from './dashboard/account-services.ts'
import { startAlerts } from './workers/alerts.ts'
import { type Bootstrapped, bootstrap } from './bootstrap.ts'
import { CannotListen } from './cannot-listen.ts'
import type { Config } from './config/config.ts'
import { dashboardFolder, readDashboard } from './dashboard/static-files.ts'
import { drain } from './drain.ts'
import { startEngine } from './workers/checks.ts'
import { startHousekeeping } from './workers/housekeeping.ts'
import { trackKeyUse } from './api/key-usage.ts'
import { createMetrics } from './metrics/metrics.ts'
import { startMetricsListener } from './metrics/listener.ts'
import { appOperations } from './operations/app-table.ts'
import { operations as allOperations } from './operations/table.ts'
import { startScheduler } from './workers/maintenance.ts'
import { claimSealKey, loadSealer } from './seal-keys.ts'
import { startSending } from './workers/webhooks.ts'
import { createServer, type ServerOptions } from './server.ts'
import { startMailing } from './workers/subscriber-emails.ts'

export interface Running {
  /** Where it listens. */
  readonly url: string
  readonly metricsUrl: string | undefined
  readonly database: Database
  readonly bootstrapped: Bootstrapped
  /** What stands in the link that claims the installation; undefined once somebody can sign in. */
  readonly setupToken: string | undefined
  readonly migrationsApplied: number
  /** Whether there is a dashboard to be opened. */
  readonly hasDashboard: boolean
  /** Takes no new requests, finishes those under way, and closes everything. */
  stop(): Promise<void>
}

export interface Surroundings {
  readonly clock: Clock
  readonly log: Log
  /** Tests bring operations of their own. */
  readonly operations?: readonly Operation[]
  /** Tests wait less long. */
  readonly patience?: Patience
  /** How alerts to contacts are spaced; tests wait less long. */
  readonly alertPace?: SendTiming
}

/** How long others may take. */
export interface Patience {
  /** A client, to send the head of its request. */
  readonly headersMs: number
  /** A client, to send the body. */
  readonly bodyMs: number
  /** Requests under way, to end by themselves once a stop was asked for. */
  readonly drainMs: number
  /** Whoever is watching, to hear that the stream is alive. */
  readonly beatMs?: number
}

export const RATE_WINDOW_MS = 60_000
const usualPatience: Patience = { headersMs: 10_000, bodyMs: 20_000, drainMs: 15_000 }

/** Starts a node: storage, migrations, first organization, then the listeners. What started is stopped again if a later step fails. */
export async function startPharos(config: Config, surroundings: Surroundings): Promise<Running> {
  const { clock, log, operations = allOperations, patience = usualPatience } = surroundings
  setSelfHostedRawResultsDays(config.rawResultsDays)
  const undo: (() => unknown)[] = []
  const stopAll = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const database = await openStorage(config, surroundings, undo)
    const sealer = loadSealer(config.secretKeys, config.dataDir)
    const migrationsApplied = (await migrate(database, clock.now())).length
    await claimSealKey(database, sealer)
    const bootstrapped = await database.write(() => bootstrap(database.engine, config.bootstrapKey, clock.now()))

    const setupToken = await database.write(() => issueSetupToken(clock.now()))

    const metrics = createMetrics(config.metrics !== undefined)
    const keyUse = trackKeyUse(database, () => clock.now())
    const housekeeping = startHousekeeping({ database, keyUse, clock, log })
    undo.push(() => keyUse.flush())
    undo.push(() => housekeeping.stop())

    const leaving = new AbortController()
    const stopping = new AbortController()
    // With port 0 the port is known once the server listens.
    let baseUrl = config.baseUrl ?? `http://localhost:${config.port}`
    const engine = await startEngine({ config, database, clock, log, metrics, baseUrl: () => baseUrl }, undo)
    const sender = startSending({ config, database, sealer, clock, log, metrics, node: engine.node }, undo)
    startScheduler(
      { config, database, clock, log, nudgeChecker: () => engine.nudge(), nudgeSender: () => sender.nudge() },
      undo,
    )
    const installation = {
      get baseUrl() {
        return baseUrl
      },
      node: database.engine === 'sqlite' ? null : engine.node,
      look: engine.runProbe,
      askDns: createDnsClient(config.dnsServers),
      sealer,
      webhooks: {
        policy: parsePolicy(config.privateWebhooks),
        maxAttempts: config.webhookScheduleSeconds.length,
      },
    }
    startAlerts(
      {
        ...{ config, database, sealer, clock, log, metrics, node: engine.node },
        baseUrl: () => baseUrl,
        ...(surroundings.alertPace && { pace: surroundings.alertPace }),
      },
      undo,
    )
    startMailing(
      { ...{ config, database, sealer, clock, log, metrics, node: engine.node }, baseUrl: () => baseUrl },
      undo,
    )
    const dashboard = readDashboard(dashboardFolder)
    const server = createServer({
      dashboard,
      accounts: openAccounts(config, log, undo),
      ...{ operations, appOperations, database, sealer, installation, clock, log, keyUse, metrics },
      rule: ruleOf(config),
      stopping: stopping.signal,
      headersTimeoutMs: patience.headersMs,
      bodyTimeoutMs: patience.bodyMs,
      ...(patience.beatMs !== undefined && { beatMs: patience.beatMs }),
      trustProxy: config.trustProxy,
      canMail: config.mail !== undefined,
      checkReady: readiness(database, leaving.signal),
      changed: () => {
        engine.nudge()
        sender.nudge()
      },
    } satisfies ServerOptions)
    const url = await listen(server, config)
    baseUrl = config.baseUrl ?? url.replace('//127.0.0.1:', '//localhost:')
    undo.push(() => drain(server, patience.drainMs, () => stopping.abort()))
    undo.push(() => metrics.ready.set(0))
    undo.push(() => leaving.abort())
    metrics.ready.set(1)

    const metricsUrl = config.metrics && (await startMetricsListener(config.metrics, metrics, undo))
    return {
      url,
      metricsUrl,
      database,
      bootstrapped,
      setupToken,
      migrationsApplied,
      hasDashboard: dashboard !== undefined,
      stop: stopAll,
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

function ruleOf(config: Config) {
  return { quota: config.rateLimit, windowMs: RATE_WINDOW_MS }
}

async function openStorage(config: Config, { clock, log }: Surroundings, undo: (() => unknown)[]): Promise<Database> {
  const { databaseUrl, databasePool: poolSize, dataDir } = config
  const database = await openDatabase({ databaseUrl, poolSize, dataDir, rule: ruleOf(config) }, clock, log)
  undo.push(() => database.close())
  if (database.engine === 'sqlite') {
    const lock = lockDataDir(dataDir)
    undo.push(() => lock.release())
  }
  return database
}

/** Migrations are done before the server listens, so what is left to ask is the database. */
function readiness(database: Database, leaving: AbortSignal): () => Promise<void> {
  return async () => {
    if (leaving.aborted) throw new Error('The server is stopping')
    await database.ping()
  }
}

async function listen(server: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await server.listen({ host, port })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new CannotListen(`PORT: ${host}:${port} is already in use; stop what uses it, or set PORT`)
    throw new CannotListen(`HOST: cannot listen on ${host}:${port} (${message})`)
  }
  const { address, family, port: actual } = server.server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
