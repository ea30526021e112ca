import { accessSync, constants, existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { silentLog } from '../lib/log.ts'
import { describeLoose } from '../lib/private-files.ts'
import { createPinger } from '../monitoring/probes/ping/pinger.ts'
import type { Config } from '../server/config/config.ts'
import { looseDataFiles } from '../server/data-folder.ts'
import { loadSealer } from '../server/seal-keys.ts'
import { RATE_WINDOW_MS } from '../server/start.ts'
import { pendingMigrations } from '../storage/migrate.ts'
import { openDatabase } from '../storage/open.ts'
import type { PlainCommand } from './command.ts'
import { type Finding, looseSettings } from './judge-settings.ts'

export const doctor: PlainCommand = {
  name: 'doctor',
  summary: 'Check whether Pharos can run with this machine and configuration',
  async start(config) {
    const findings = [
      runtime(),
      dataFolder(config),
      // Before the database is opened, which adds files.
      ...permissions(config),
      ...(await database(config)),
      address(config),
      metrics(config),
      ping(),
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
  },
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

function dataFolder({ dataDir, databaseUrl, secretKeys }: Config): Finding {
  const check = 'data folder'
  const path = resolve(dataDir)
  if (!existsSync(path)) {
    const needed = databaseUrl === undefined || secretKeys.length === 0
    return { check, state: 'note', message: needed ? `${path} will be created at the first start` : 'not needed' }
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return { check, state: 'ok', message: `${path} can be written` }
  } catch {
    return { check, state: 'problem', message: `${path} cannot be written; change its owner or set PHAROS_DATA_DIR` }
  }
}

function permissions({ dataDir }: Config): readonly Finding[] {
  return looseDataFiles(dataDir).map((entry) => ({
    ...{ check: 'permissions', state: 'warning' },
    message: describeLoose(entry),
  }))
}

/** Reads only: does not create a missing SQLite file. */
async function database(config: Config): Promise<Finding[]> {
  const { databaseUrl, databasePool: poolSize, dataDir, secretKeys } = config
  const check = 'database'
  if (databaseUrl === undefined && !existsSync(resolve(dataDir, 'pharos.db'))) {
    return [{ check, state: 'note', message: 'SQLite; the file will be created at the first start' }]
  }
  try {
    const rule = { quota: config.rateLimit, windowMs: RATE_WINDOW_MS }
    const opened = await openDatabase({ databaseUrl, poolSize, dataDir, rateLimit: rule }, systemClock, silentLog)
    try {
      const pending = await opened.read(pendingMigrations(opened.engine))
      const schema =
        pending.length === 0 ? 'schema up to date' : `${pending.length} migrations to apply at the next start`
      const sealer = existsSync(resolve(dataDir)) || secretKeys.length > 0 ? loadSealer(secretKeys, dataDir) : undefined
      return [
        { check, state: 'ok', message: `${opened.location}, ${schema}` },
        {
          check: 'secret key',
          state: 'ok',
          message: sealer === undefined ? 'will be created at the first start' : `id ${sealer.keyId}`,
        },
      ]
    } finally {
      await opened.close()
    }
  } catch (error) {
    return [{ check, state: 'problem', message: (error as Error).message }]
  }
}

function address({ baseUrl, host }: Config): Finding {
  const check = 'address'
  if (baseUrl !== undefined) return { check, state: 'ok', message: baseUrl }
  const message = 'PHAROS_BASE_URL is not set: links and heartbeat addresses will point to localhost'
  return { check, state: host === '127.0.0.1' || host === 'localhost' ? 'note' : 'problem', message }
}

function metrics({ metrics: listen }: Config): Finding {
  const message =
    listen === undefined ? 'off; set PHAROS_METRICS_LISTEN to enable them' : `on ${listen.host}:${listen.port}`
  return { check: 'metrics', state: 'note', message }
}

/** Without a way to ping, PING monitors stay PENDING. */
function ping(): Finding {
  using pinger = createPinger()
  const { ipv4, sentence } = pinger.methods()
  return { check: 'ping', state: ipv4 === 'none' ? 'problem' : 'ok', message: sentence }
}

async function server({ host, port }: Config): Promise<Finding> {
  const check = 'server'
  const at = `http://${host.includes(':') ? `[${host}]` : host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`
  try {
    const answer = await fetch(`${at}/readyz`, { signal: AbortSignal.timeout(2_000) })
    if (answer.ok) return { check, state: 'ok', message: `running and ready at ${at}` }
    return { check, state: 'problem', message: `running at ${at}, but not ready: ${await answer.text()}` }
  } catch {
    return { check, state: 'note', message: `not running at ${at}` }
  }
}
