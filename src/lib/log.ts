import { type Logger, pino } from 'pino'
import { maskValue } from './mask.ts'
import { secrecyOf, secretFieldNames } from './secret-fields.ts'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/**
 * Headers and fields with these names are masked in log lines, up to two levels deep. Errors have a `code` as well. The error of a
 * text that is not a URL has the text as its `input`.
 */
const masked = [
  'authorization',
  'x-api-key',
  'cookie',
  'set-cookie',
  'input',
  ...secretFieldNames.filter((name) => name !== 'code'),
]

export function createLog(level: LogLevel, destination?: { write(line: string): void }): Logger {
  const paths = masked.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`])
  const censor = (value: unknown, path: string[]) => maskValue(secrecyOf(path.at(-1) ?? ''), value)
  const options = { level, base: null, redact: { paths, censor } }
  return destination === undefined ? pino(options) : pino(options, destination)
}

export const silentLog: Log = pino({ level: 'silent' })
