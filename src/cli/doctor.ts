import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { describeLoose } from '../lib/private-files.ts'
import { isoTimestampOrNull } from '../lib/timestamp.ts'
import { createPinger } from '../monitoring/monitor-types/ping/pinger.ts'
import { type Config, rateLimitOf } from '../server/config/config.ts'
import { givenAsFiles } from '../server/config/read-files.ts'
import { serverVariables, unknownVariables } from '../server/config/unknown-variables.ts'
import { dataFolderObstacle, looseDataFiles } from '../server/data-folder.ts'
import { loadSealer } from '../server/seal-keys.ts'
import type { Database } from '../storage/database.ts'
import { compareSchema, migrations } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open.ts'
import { rowsSetAside } from '../storage/queue/crashes.ts'
import type { PlainAction } from './command.ts'
import { environment } from './environment.ts'
import { judgeClock } from './judge-clock.ts'
import { judgeOldAddresses } from './judge-old-addresses.ts'
import { type Finding, looseSettings } from './judge-settings.ts'
import { localAddress } from './local-address.ts'

export const doctor: PlainAction = async (config) => {
  const findings = [
    runtime(),
    settings(),
    dataFolder(config),
    // Before the database is opened, which adds files.
    ...permissions(config),
    ...(await database(config)),
    address(config),
    metrics(config),
    ping(),
    mail(config),
    await server(config),
    ...looseSettings(config),
  ]
  const mark = { ok: '✓', note: '·', warning: '!', problem: '✗' }
  const lines = findings.map(({ check, state, message }) => `${mark[state]} ${check.padEnd(12)} ${message}`)
  const problems = findings.filter((finding) => finding.state === 'problem').length
  const warnings = findings.filter((finding) => finding.state === 'warning').length
  const summary = problems === 0 ? 'No problems found' : `${counted(problems, 'problem')} found`
  lines.push('', warnings === 0 ? `${summary}.` : `${summary}, ${counted(warnings, 'warning')}.`)
  return { text: lines.join('\n'), json: { problems, warnings, findings }, exitCode: problems === 0 ? 0 : 1 }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function runtime(): Finding {
  return {
    check: 'runtime',
    state: 'ok',
    message: `Node ${process.versions.node} on ${process.platform}-${process.arch}`,
  }
}

function settings(): Finding {
  const names = givenAsFiles(environment, serverVariables)
  const unknown = unknownVariables(environment)
  if (unknown.length > 0)
    return { check: 'settings', state: 'warning', message: `unknown and ignored: ${unknown.join(', ')}` }
  const message = names.length === 0 ? 'from environment variables' : `read from files: ${names.join(', ')}`
  return { check: 'settings', state: 'ok', message }
}

function dataFolder({ dataDir, databaseUrl, secretKeys }: Config): Finding {
  const check = 'data folder'
  const path = resolve(dataDir)
  if (!existsSync(path)) {
    const needed = databaseUrl === undefined || secretKeys.length === 0
    return {
      check,
      state: 'note',
      message: needed ? `${path} does not exist yet; the first start creates it` : 'not needed',
    }
  }
  const obstacle = dataFolderObstacle(path)
  if (obstacle !== undefined) return { check, state: 'problem', message: obstacle }
  return { check, state: 'ok', message: `${path} is writable` }
}

function permissions({ dataDir }: Config): readonly Finding[] {
  return looseDataFiles(dataDir).map((entry) => ({
    check: 'permissions',
    state: 'warning',
    message: describeLoose(entry),
  }))
}

/** Reads only: does not create a missing SQLite file. */
async function database(config: Config): Promise<Finding[]> {
  const { databaseUrl, databasePool: poolSize, dataDir, secretKeys } = config
  const check = 'database'
  if (databaseUrl === undefined && !existsSync(resolve(dataDir, 'pharos.db'))) {
    return [{ check, state: 'note', message: 'SQLite; the first start creates the file' }]
  }
  try {
    const storage = { databaseUrl, poolSize, dataDir, rateLimit: rateLimitOf(config) }
    const opened = await openDatabase(storage, systemClock, silentLog)
    try {
      const obstacle = await opened.ping(true).catch((error: Error) => error.message)
      const { schema, missing } = await opened.read(compareSchema(opened.engine))
      const newest = migrations.at(-1)?.id ?? 0
      const upgrade =
        missing.length > 0
          ? `${counted(missing.length, 'migration')} pending; the next start applies them`
          : schema > newest
            ? `schema ${schema} of a newer version, which this version can use (it supports ${newest})`
            : 'schema up to date'
      const sealer = existsSync(resolve(dataDir)) || secretKeys.length > 0 ? loadSealer(secretKeys, dataDir) : undefined
      return [
        obstacle === undefined
          ? { check, state: 'ok', message: `${opened.location}, ${upgrade}` }
          : { check, state: 'problem', message: `${opened.location}: ${obstacle}` },
        ...(opened.engine === 'postgres' ? [judgeClock(systemClock.now(), opened.clock.now())] : []),
        ...(schema === newest ? await setAside(opened) : []),
        {
          check: 'secret key',
          state: 'ok',
          message: sealer === undefined ? 'the first start creates it' : `key ID ${sealer.keyId}`,
        },
        // Tables of a pending migration do not exist yet.
        ...(sealer === undefined || missing.length > 0 ? [] : await opened.read(judgeOldAddresses(sealer))),
      ]
    } finally {
      await opened.close()
    }
  } catch (error) {
    return [{ check, state: 'problem', message: (error as Error).message }]
  }
}

const MAX_ROWS_SHOWN = 5

/** Rows whose processing ended the server or failed repeatedly. */
async function setAside(opened: Database): Promise<Finding[]> {
  const rows = await opened.read(rowsSetAside(opened.clock.now(), MAX_ROWS_SHOWN))
  return rows.map(({ queue, rowKey, crashes, retryAt }) => ({
    check: 'queue',
    state: 'warning',
    message: `${queue} ${rowKey}: the server ended or failed ${crashes} times in a row while it processed this; next try ${isoTimestampOrNull(retryAt)}; the log has the reason`,
  }))
}

function address({ baseUrl, host }: Config): Finding {
  const check = 'address'
  if (baseUrl !== undefined) return { check, state: 'ok', message: baseUrl }
  const message =
    'PHAROS_BASE_URL is not set, so links and heartbeat URLs point to localhost; set it to the public URL of this server'
  return { check, state: host === '127.0.0.1' || host === 'localhost' ? 'note' : 'problem', message }
}

function metrics({ metrics: listen }: Config): Finding {
  const message =
    listen === undefined ? 'off; to enable metrics, set PHAROS_METRICS_LISTEN' : `on ${listen.host}:${listen.port}`
  return { check: 'metrics', state: 'note', message }
}

/** Without a way to ping, PING monitors stay PENDING. Installations without such monitors do not need one. */
function ping(): Finding {
  using pinger = createPinger()
  const { ipv4, sentence } = pinger.methods()
  return { check: 'ping', state: ipv4 === 'none' ? 'warning' : 'ok', message: sentence }
}

function mail({ mail: settings }: Config): Finding {
  const check = 'mail'
  if (settings !== undefined) {
    const { hostname } = new URL(settings.url)
    return { check, state: 'ok', message: `sends through ${hostname} as ${settings.from}` }
  }
  const message =
    'PHAROS_SMTP_URL is not set, so e-mail alerts, invitations by e-mail, password reset and status page subscriptions by e-mail do not work; set PHAROS_SMTP_URL and PHAROS_MAIL_FROM'
  return { check, state: 'warning', message }
}

const SERVER_TIMEOUT_MS = 2_000

async function server({ host, port }: Config): Promise<Finding> {
  const check = 'server'
  if (port === 0) return { check, state: 'note', message: 'not checked, because PORT=0 selects a random port' }
  const url = localAddress(host, port)
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) })
    if (response.ok) return { check, state: 'ok', message: `running and ready at ${url}` }
    const reason = await response.text()
    return { check, state: 'problem', message: `running at ${url} but not ready (HTTP ${response.status}): ${reason}` }
  } catch (error) {
    const isTimeout = (error as Error).name === 'TimeoutError'
    const message = isTimeout
      ? `no response from ${url} within ${SERVER_TIMEOUT_MS / 1000} s; check the log of the server, or restart it`
      : `not running at ${url}; start it with "pharos start", or set HOST and PORT to the address of the server`
    return { check, state: 'warning', message }
  }
}
