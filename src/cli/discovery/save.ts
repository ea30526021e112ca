import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { type Pharos, PharosError } from '../../../clients/typescript/src/index.ts'
import {
  type Entry,
  type Merged,
  MISSING_LABEL,
  type Previous,
  readMonitors,
  writeDocument,
} from '../../discovery/merge.ts'
import { escapeVariables } from '../../lib/variables.ts'
import { writeYaml } from '../../lib/write-yaml.ts'
import { CommandError } from '../command.ts'
import { type Change, countOf, type Summary } from '../configuration/describe-plan.ts'

type PlanBody = Parameters<Pharos['configuration']['plan']>[0]
type Document = Readonly<Record<string, unknown>>

/** Makes the next document from the previous one of the source. */
export type Merge = (previous: Previous) => Merged

interface Written {
  /** Zero if the file did not change. */
  readonly written: number
  readonly problems: readonly string[]
}

/** Writes the document to a file, which is also where the previous one is read from. */
export async function saveFile(path: string, source: string, merge: Merge): Promise<Written> {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const previous = before === '' ? new Map() : await previousIn(path, before, source)
  const { monitors, problems } = await withoutInvalid(merge(previous), previous)
  const text = `${writeYaml(escapeVariables(writeDocument(source, monitors)))}\n`
  if (text === before) return { written: 0, problems }
  const temporary = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(temporary, text)
    renameSync(temporary, path)
  } catch (error) {
    throw new CommandError(`Cannot write ${path}: ${(error as Error).message}`)
  }
  return { written: monitors.size, problems }
}

/** Of a document that no server has seen. A monitor with a wrong value stays as it was, or is left out. */
export async function withoutInvalid(
  { monitors: given, problems: found }: Merged,
  previous: Previous,
): Promise<Merged> {
  // Only here: the rules of monitors take much of the server.
  const { faultsIn } = await import('../../importers/accepted.ts')
  const faultsOf = ({ was: _was, id: _id, ...fields }: Entry) => faultsIn('monitors', { ...fields })
  const monitors = new Map(given)
  const problems = [...found]
  for (const [key, entry] of given) {
    const faults = faultsOf(entry)
    if (faults.length === 0) continue
    problems.push(...faults.map(({ path, message }) => `${key}: ${path} ${message}`))
    const before = previous.get(key)
    if (before === undefined || faultsOf(before).length > 0) monitors.delete(key)
    else monitors.set(key, before)
  }
  return { monitors, problems }
}

async function previousIn(path: string, text: string, source: string): Promise<Previous> {
  const { parse } = await import('yaml')
  let document: unknown
  try {
    document = parse(text)
  } catch {}
  if ((document as { source?: unknown } | undefined)?.source !== source) {
    throw new CommandError(`${path} is not a document of the source ${source}. Use another file, or remove it`)
  }
  return readMonitors(document as Document)
}

const MAX_ATTEMPTS = 5
const RETRY_MS = 500

interface Applied {
  readonly changes: readonly Change[]
  readonly summary: Summary
  readonly problems: readonly string[]
}

/** Plans and applies the document. Where another change comes in between, it begins again with what is stored then. */
export async function applyDocument(pharos: Pharos, source: string, merge: Merge): Promise<Applied> {
  for (let attempt = 1; ; attempt += 1) {
    const previous = readMonitors((await pharos.configuration.get({ source })) as Document)
    const { monitors, problems } = merge(previous)
    const adopting = await adoptReleased(pharos, monitors, previous)
    const { plan, faults } = await planValid(pharos, source, adopting, previous)
    try {
      if (countOf(plan.summary) > 0) await pharos.configuration.apply({ planId: plan.planId })
      return { changes: plan.changes, summary: plan.summary, problems: [...problems, ...faults] }
    } catch (error) {
      const isConflict = error instanceof PharosError && error.code === 'conflict'
      if (!isConflict || attempt === MAX_ATTEMPTS) throw error
      await setTimeout(RETRY_MS * attempt * (0.5 + Math.random()))
    }
  }
}

/** What is back after its monitor was released gets that monitor again instead of a second one. */
async function adoptReleased(pharos: Pharos, monitors: Merged['monitors'], previous: Previous) {
  const isNew = ([key, { was }]: readonly [string, Entry]) => !previous.has(key) && was === undefined
  const added = new Map([...monitors].filter(isNew).map(([key, entry]) => [addressOf(entry), key]))
  if (added.size === 0) return monitors
  const adopting = new Map(monitors)
  for await (const monitor of pharos.monitors.list({ labels: MISSING_LABEL })) {
    const key = added.get(addressOf(monitor))
    const entry = key === undefined ? undefined : adopting.get(key)
    if (key === undefined || entry === undefined || entry.id !== undefined) continue
    if ((await pharos.monitors.source(monitor.id)) === null) adopting.set(key, { ...entry, id: monitor.id })
  }
  return adopting
}

function addressOf({
  type,
  url,
  host,
  port,
}: Readonly<Partial<Record<'type' | 'url' | 'host' | 'port', unknown>>>): string {
  return JSON.stringify([type, url ?? null, host ?? null, port ?? null])
}

/** A wrong value in one label must not stop the others: such a monitor stays as it was, or is left out. */
async function planValid(pharos: Pharos, source: string, given: Merged['monitors'], previous: Previous) {
  const monitors = new Map(given)
  const faults: string[] = []
  for (;;) {
    try {
      const document = writeDocument(source, monitors) as PlanBody['document']
      return { plan: await pharos.configuration.plan({ document, delete: false }), faults }
    } catch (error) {
      const invalid = error instanceof PharosError && error.code === 'validation_error' ? error.details : []
      const keys = new Set<string>()
      for (const { path, message } of invalid) {
        const [, key = '', field = ''] = /^document\.monitors\.([^.]+)\.?(.*)$/.exec(path) ?? []
        if (!monitors.has(key)) continue
        keys.add(key)
        faults.push(`${key}: ${field} ${message}`)
      }
      if (keys.size === 0) throw error
      for (const key of keys) {
        const before = previous.get(key)
        if (before === undefined || monitors.get(key) === before) monitors.delete(key)
        else monitors.set(key, before)
      }
    }
  }
}
