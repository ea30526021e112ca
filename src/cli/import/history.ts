import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { type MonitorHistory, readDumpHistory, readKumaHistory } from '../../importers/kuma/history.ts'
import { openKumaDatabase } from '../../importers/kuma/open-database.ts'
import { isDatabase, readKuma } from '../../importers/kuma/read.ts'
import { renamedKeys } from '../../importers/renames.ts'
import { type ImportResult, NoSpaceError, WrongFileError } from '../../importers/result.ts'
import { CommandError, type Report } from '../command.ts'
import { progressLine } from './progress.ts'

const SOURCE = 'import-kuma'
/** Hours and days in one request, about a megabyte. */
const PERIODS_AT_ONCE = 20_000
/** A server that restarts, or a rate limit: the import goes on when it answers. */
const PATIENCE = { maxRetries: 100, maxRetryMs: 600_000 }

interface Counted {
  readonly monitors: number
  readonly hours: number
  readonly days: number
  /** Rows of Kuma that were read. */
  readonly beats: number
}

/**
 * Reads the history of a Kuma and sends it to the monitors that were imported from it. What was sent before is replaced, so that a
 * second run, also after one that was stopped, has the same result.
 */
export async function importKumaHistory(pharos: Pharos, path: string): Promise<Report> {
  const result = readConfiguration(path)
  const { monitors: known = {} } = (await pharos.configuration.get({ source: SOURCE })) as { monitors?: object }
  if (Object.keys(known).length === 0) {
    throw new CommandError('No monitor of this database was imported yet. First run: pharos import kuma FILE --apply')
  }
  const keys = keysIn(result, Object.keys(known))
  const { monitors, read, unreadable } = isDatabase(path) ? await readAll(path) : readDumpHistory(path, Date.now())
  const found = [...monitors].map(([id, history]) => ({ key: keys.get(id), history }))
  const sendable = found.flatMap(({ key, history }) => {
    return key !== undefined && Object.hasOwn(known, key) ? [{ key, ...history }] : []
  })
  const counted = await sendAll(pharos, sendable, read)
  const lines = [
    `Imported the history of ${number(counted.monitors)} monitors: ${number(counted.days)} days and ${number(counted.hours)} hours, from ` +
      `${number(read)} records of Uptime Kuma.`,
    ...(found.length > sendable.length
      ? [
          `${number(found.length - sendable.length)} monitors of Uptime Kuma have no monitor here: their history is left out.`,
        ]
      : []),
    ...result.unreadable.map((text) => `Not readable: ${text}`),
    ...(unreadable > 0 ? [`The file is damaged: ${number(unreadable)} records could not be read.`] : []),
  ]
  return { text: lines.join('\n'), json: { ...counted, leftOut: found.length - sendable.length, unreadable } }
}

function readConfiguration(path: string): ImportResult {
  if (!existsSync(path)) throw new CommandError(`${path} does not exist`)
  try {
    return readKuma([{ name: basename(path), path, bytes: new Uint8Array() }])
  } catch (error) {
    if (!(error instanceof WrongFileError || error instanceof NoSpaceError)) throw error
    throw new CommandError(error.message, { cause: error })
  }
}

/** The keys of monitors by their id in Kuma, as the import of the configuration gave them. */
function keysIn(result: ImportResult, known: readonly string[]): ReadonlyMap<number, string> {
  const renamed = renamedKeys(result, (kind) => (kind === 'monitors' ? known : []))
  const monitors = result.objects.filter(({ kind, key }) => kind === 'monitor' && key?.startsWith('monitors.'))
  return new Map(
    monitors.map(({ sourceId, key = '' }) => [Number(sourceId), renamed.get(key) ?? key.slice('monitors.'.length)]),
  )
}

async function readAll(path: string) {
  using database = openKumaDatabase(path)
  using progress = progressLine('Reading', 'records')
  const reader = readKumaHistory(database.connection, Date.now())
  for (;;) {
    const step = reader.next()
    if (step.done === true) return step.value
    progress.show(step.value.read, step.value.total)
    // So that Ctrl+C ends the command.
    await setImmediate()
  }
}

type Sendable = MonitorHistory & { readonly key: string }

async function sendAll(pharos: Pharos, all: readonly Sendable[], beats: number): Promise<Counted> {
  using progress = progressLine('Sending', 'monitors')
  const sum = { monitors: 0, hours: 0, days: 0, beats }
  let sent = 0
  for (const monitors of portionsOf(all)) {
    const body = { source: SOURCE, monitors } as unknown as Parameters<typeof pharos.configuration.importHistory>[0]
    const counts = await pharos.configuration.importHistory(body, PATIENCE)
    sum.monitors += counts.monitors
    sum.hours += counts.hours
    sum.days += counts.days
    sent += monitors.length
    progress.show(sent, all.length)
  }
  return sum
}

function* portionsOf(all: readonly Sendable[]): Generator<Sendable[]> {
  let portion: Sendable[] = []
  let periods = 0
  for (const monitor of all) {
    const size = monitor.hours.length + monitor.days.length
    if (portion.length > 0 && periods + size > PERIODS_AT_ONCE) {
      yield portion
      portion = []
      periods = 0
    }
    portion.push(monitor)
    periods += size
  }
  if (portion.length > 0) yield portion
}

function number(value: number): string {
  return value.toLocaleString('en-US')
}
