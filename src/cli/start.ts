import { systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { type Config, unknownVariables } from '../server/config/config.ts'
import { type RunningServer, startPharos } from '../server/start.ts'
import type { PlainCommand } from './command.ts'
import { ensureDashboard } from './dashboard.ts'
import { environment } from './environment.ts'
import { withInheritedUmask } from './umask.ts'

/** Requests and checks in progress get this long to finish after a stop signal. */
const STOP_DEADLINE_MS = 25_000

export const startServer: PlainCommand = {
  name: 'start',
  summary: 'Start the server (what "npm start" does)',
  async start(config) {
    const log = createLog(config.logLevel)
    for (const name of unknownVariables(environment)) log.warn(`${name} is not a setting of Pharos and has no effect`)
    if (config.roles.includes('api')) {
      await withInheritedUmask(() => ensureDashboard((text) => process.stdout.write(text)))
    }
    const running = await startPharos(config, { clock: systemClock, log })
    // Before the greeting, after which a signal may be sent.
    stopOnSignal(running, log)
    process.stdout.write(greeting(config, running))
    if (!running.bootstrapped.first && running.bootstrapped.ignoredKey) {
      log.warn(
        'PHAROS_BOOTSTRAP_KEY was ignored: it is used at the first start only; create keys with "npx pharos keys create"',
      )
    }
    return undefined
  },
}

function greeting(config: Config, running: RunningServer): string {
  const { url, metricsUrl, database, bootstrapped } = running
  const address = config.baseUrl ?? url.replace('//127.0.0.1:', '//localhost:')
  const lines = [
    'Pharos is running',
    '',
    `Address    ${address}`,
    ...firstUser(config, running, address),
    `API        ${address}/api/v1  (described at ${address}/openapi.json)`,
    `Database   ${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${database.location}`,
    ...(metricsUrl === undefined ? [] : [`Metrics    ${metricsUrl}`]),
    ...firstKey(config, bootstrapped, address),
  ]
  const width = Math.max(...lines.map((line) => line.length))
  const body = lines.map((line) => `│ ${line.padEnd(width)} │`)
  const edge = '─'.repeat(width + 2)
  return `\n┌${edge}┐\n${body.join('\n')}\n└${edge}┘\n\n`
}

/** The setup link, until somebody has used one: its user becomes the owner. Every start prints a new one. */
function firstUser({ roles }: Config, { setupToken, hasDashboard }: RunningServer, address: string): string[] {
  if (setupToken === undefined || !roles.includes('api')) return []
  if (!hasDashboard) return [`First user POST ${address}/app/api/setup with the token ${setupToken}`]
  return [`Set up     ${address}/setup?token=${setupToken}`, '           Open it in a browser. It works once.']
}

/** A key chosen by the operator is not printed. */
function firstKey({ bootstrapKey }: Config, bootstrapped: RunningServer['bootstrapped'], address: string): string[] {
  if (!bootstrapped.first) return []
  if (bootstrapKey !== undefined) return ['API key    the one in PHAROS_BOOTSTRAP_KEY']
  return [
    `API key    ${bootstrapped.secret}`,
    '           Not shown again; create more with "npx pharos keys create".',
    '',
    'Try it:',
    `  curl -H 'X-API-Key: ${bootstrapped.secret}' ${address}/api/v1/monitors`,
  ]
}

function stopOnSignal(running: RunningServer, log: Log): void {
  let isStopping = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) process.exit(130)
    isStopping = true
    log.info(`${signal}: finishing requests and checks in progress; send it again to stop immediately`)
    const deadline = setTimeout(() => {
      log.error(`requests and checks in progress did not finish within ${STOP_DEADLINE_MS / 1000} s`)
      process.exit(1)
    }, STOP_DEADLINE_MS)
    try {
      await running.stop()
      clearTimeout(deadline)
      log.info('stopped')
    } catch (error) {
      log.error({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
