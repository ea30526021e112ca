import { type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** Fields with these names are redacted from log lines, up to two levels deep. */
const secrets = ['authorization', 'x-api-key', 'cookie', 'set-cookie', 'password', 'secret', 'key', 'token']

export function createLog(level: LogLevel, destination?: { write(line: string): void }): Logger {
  const paths = secrets.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const options = { level, base: null, redact: { paths, censor: '[redacted]' } }
  return destination === undefined ? pino(options) : pino(options, destination)
}

export const silentLog: Log = pino({ level: 'silent' })
