import { issueSetupToken, setupLink } from '../accounts/sign-in/set-up.ts'
import { hasUsers } from '../accounts/users/queries.ts'
import { createLog, type Log } from '../lib/log.ts'
import type { Config } from '../server/config/config.ts'
import { unknownVariables } from '../server/config/unknown-variables.ts'
import { type RunningServer, startPharos } from '../server/start.ts'
import type { PlainAction } from './command.ts'
import { environment } from './environment.ts'

/** Requests and checks in progress get this long to finish after a stop signal. */
const STOP_DEADLINE_MS = 25_000

export const startServer: PlainAction = async (config) => {
  const log = createLog(config.logLevel)
  for (const name of unknownVariables(environment))
    log.warn(`unknown setting ${name} ignored; see docs/configuration.md`)
  const running = await startPharos(config, { log })
  // Before the greeting, after which a signal may be sent.
  stopOnSignal(running, config.drainSeconds, log)
  process.stdout.write(greeting(config, running, await firstUser(config, running)))
  if (!running.bootstrapped.first && running.bootstrapped.ignoredKey) {
    log.warn(
      'PHAROS_BOOTSTRAP_KEY ignored: it only applies to the first start; to create a key, run "pharos keys create"',
    )
  }
  return undefined
}

function addressOf({ baseUrl }: Config, { url }: RunningServer): string {
  return baseUrl ?? url.replace('//127.0.0.1:', '//localhost:')
}

function greeting(config: Config, running: RunningServer, setup: readonly string[]): string {
  const { metricsUrl, database, bootstrapped } = running
  const address = addressOf(config, running)
  const lines = [
    '◁▲▷ Pharos is running',
    '',
    `Address    ${address}`,
    ...setup,
    `API        ${address}/api/v1  (reference: ${address}/docs)`,
    `Database   ${database.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${database.location}`,
    ...(metricsUrl === undefined ? [] : [`Metrics    ${metricsUrl}`]),
    ...firstKey(config, bootstrapped, address),
  ]
  const width = Math.max(...lines.map((line) => line.length))
  const body = lines.map((line) => `│ ${line.padEnd(width)} │`)
  const edge = '─'.repeat(width + 2)
  return `\n┌${edge}┐\n${body.join('\n')}\n└${edge}┘\n\n`
}

/** How to create the first user. The link is shown to a person at a terminal only: logs are stored and read by others. */
async function firstUser(config: Config, running: RunningServer): Promise<string[]> {
  const { database, hasDashboard } = running
  if (!config.roles.includes('api') || (await database.read(hasUsers()))) return []
  if (!process.stdout.isTTY) return ['Setup      Run "pharos setup-link" for the link that creates your account.']
  const token = await database.write(() => issueSetupToken(database.clock.now()))
  if (token === undefined) return []
  const address = addressOf(config, running)
  if (!hasDashboard) return [`Setup      POST ${address}/app/api/setup with token ${token}`]
  return [`Setup      ${setupLink(address, token)}`, '           Open this single-use link to create your account.']
}

/** A key chosen by the operator is not printed. */
function firstKey({ bootstrapKey }: Config, bootstrapped: RunningServer['bootstrapped'], address: string): string[] {
  if (!bootstrapped.first) return []
  if (bootstrapKey !== undefined) return ['API key    set by PHAROS_BOOTSTRAP_KEY']
  return [
    `API key    ${bootstrapped.secret}`,
    '           Save it now: it is not shown again.',
    '',
    'Example request:',
    `  curl -H 'X-API-Key: ${bootstrapped.secret}' ${address}/api/v1/monitors`,
  ]
}

/** Only SIGTERM has a drain period: a person at a terminal (SIGINT) does not wait for load balancers. */
function stopOnSignal(running: RunningServer, drainSeconds: number, log: Log): void {
  let isStopping = false
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (isStopping) process.exit(130)
    isStopping = true
    const drainMs = signal === 'SIGTERM' ? drainSeconds * 1000 : 0
    if (drainMs > 0) log.info(`${signal} received: not ready from now on, still serving for ${drainSeconds} s`)
    else log.info(`${signal} received: finishing requests and checks in progress; send it again to stop immediately`)
    const deadline = setTimeout(() => {
      log.error(`forced stop: requests and checks did not finish within ${STOP_DEADLINE_MS / 1000} s`)
      process.exit(1)
    }, drainMs + STOP_DEADLINE_MS)
    try {
      await running.stop(drainMs)
      clearTimeout(deadline)
      log.info('server stopped')
    } catch (error) {
      log.error({ err: error }, 'shutdown failed')
      process.exit(1)
    }
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}
