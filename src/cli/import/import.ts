import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { notMuted } from '../../importers/muted-monitors.ts'
import { withRenames } from '../../importers/renames.ts'
import { countOutcomes, reportText } from '../../importers/report.ts'
import {
  type ImportedObject,
  type ImportResult,
  NoSpaceError,
  type SourceFile,
  WrongFileError,
} from '../../importers/result.ts'
import type { Source } from '../../importers/sources.ts'
import { forFile, withValues } from '../../importers/variables.ts'
import { writeYaml } from '../../lib/write-yaml.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { connect } from '../api/connect.ts'
import { cleanLine } from '../clean-text.ts'
import { type Arguments, CommandError, type Report } from '../command.ts'
import { applyPlan } from '../configuration/commands.ts'
import { problemsText } from '../configuration/describe-plan.ts'
import { filesAt } from '../configuration/read-files.ts'
import { variableFault } from '../configuration/variables.ts'
import { planAcceptable } from './plan-acceptable.ts'

/** Only its owner may read a file with secrets. */
const FILE_MODE = 0o600

export async function runImport(
  environment: Environment,
  args: Arguments,
  source: Source,
): Promise<Report | undefined> {
  const [name = '', ...paths] = args.positionals
  const found = await read(source, paths.flatMap(filesAt).map(sourceFile))
  const isMuted = args.options['alert-now'] === undefined
  const result = isMuted ? found : { ...found, document: notMuted(found.document) }
  const { output: file, report } = args.options
  if (report !== undefined) writePrivately(report, reportText(source.title, result))
  const document = forFile(result.document, result.variables ?? [])
  if (file !== undefined) writePrivately(file, `${writeYaml(document)}\n`)
  process.stderr.write(summary(name, source, result, args))
  if (args.options.apply !== undefined) {
    const applied = await applyImport(environment, args, name, source, result)
    if (args.options.history === undefined) return applied
    const { importKumaHistory } = await import('./history.ts')
    return importKumaHistory(connect(environment, args.options.profile), paths[0] ?? '')
  }
  if (args.options.json !== undefined) return { text: '', json: { ...result, document } }
  if (file === undefined) process.stdout.write(`${writeYaml(document)}\n`)
  return undefined
}

async function read(source: Source, files: readonly SourceFile[]): Promise<ImportResult> {
  try {
    return await source.read(files)
  } catch (error) {
    if (error instanceof NoSpaceError) throw new CommandError(error.message, { cause: error })
    if (!(error instanceof WrongFileError)) throw error
    throw new CommandError(`${error.message.replace(/\.$/, '')}. Expected for ${source.title}: ${source.files}`, {
      cause: error,
    })
  }
}

/** Some readers take the path, because the file is large. */
function sourceFile(path: string): SourceFile {
  return {
    name: basename(path),
    path,
    get bytes() {
      return readFileSync(path)
    },
  }
}

function writePrivately(path: string, text: string): void {
  try {
    writeFileSync(path, text, { mode: FILE_MODE })
    // The mode of a file that existed before stays otherwise.
    chmodSync(path, FILE_MODE)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  }
}

/** For people, on standard error: the document may be on standard output. */
function summary(name: string, { title }: Source, result: ImportResult, { options, positionals }: Arguments): string {
  const counts = countOutcomes(result.objects)
  const { output: file, report, apply } = options
  const { variables = [], unreadable } = result
  const lines = [
    `${title}: ${counts.MAPPED} imported, ${counts.MAPPED_WITH_LOSSES} with losses, ${counts.NOT_SUPPORTED} not supported`,
    ...unreadable.map((text) => `Not readable: ${text}`),
    report === undefined ? 'Add --report report.md to see what became of every object' : `Report: ${report}`,
  ]
  if (file !== undefined) lines.push(`Document: ${file} (with secrets; only you can read it)`)
  if (variables.length > 0) lines.push(`Set these variables before you apply it: ${variables.join(', ')}`)
  const steps = apply === undefined ? [`pharos plan ${file ?? 'FILE'}`, `pharos apply ${file ?? 'FILE'}`] : []
  if (name === 'kuma' && options.history === undefined) {
    steps.push(`pharos import-history kuma ${positionals[1]}    imports the uptime of the past`)
  }
  steps.push(`pharos import finish ${name}    enables the contacts and unmutes the monitors`)
  lines.push('Next:', ...steps.map((step) => `  ${step}`))
  return `${lines.join('\n')}\n`
}

async function applyImport(
  environment: Environment,
  args: Arguments,
  name: string,
  { title }: Source,
  result: ImportResult,
) {
  const { variables = [] } = result
  const faults = variables.flatMap((variable) => variableFault(variable, environment) ?? [])
  if (faults.length > 0) throw new CommandError(problemsText(faults))
  const values = new Map(variables.map((variable) => [variable, environment[variable] as string]))
  const pharos = connect(environment, args.options.profile)
  const known: Readonly<Record<string, unknown>> = await pharos.configuration.get({ source: `import-${name}` })
  const document = withRenames(result, (kind) => Object.keys(known[kind] ?? {}))
  const shown = withValues(document, Object.fromEntries(variables.map((variable) => [variable, `(${variable})`])))
  const configuration = {
    document: withValues(document, Object.fromEntries(values)),
    variables: { values, shown },
    locate: () => 'document',
  }
  const { planned, leftOut } = await planAcceptable(environment, args, configuration, known)
  for (const { key, reason } of leftOut) {
    process.stderr.write(`${cleanLine(`pharos: ${key} is left out: ${reason}`)}\n`)
  }
  const { report } = args.options
  if (report !== undefined && leftOut.length > 0) writePrivately(report, reportText(title, without(result, leftOut)))
  return applyPlan(environment, args, planned)
}

/** The result with the objects whose resources the server refuses. */
function without(
  result: ImportResult,
  leftOut: readonly { readonly key: string; readonly reason: string }[],
): ImportResult {
  const reasons = new Map(leftOut.map(({ key, reason }) => [key, reason]))
  const objects = result.objects.map((object): ImportedObject => {
    const reason = reasons.get(object.key ?? '')
    if (reason === undefined) return object
    const { key: _key, ...others } = object
    return { ...others, outcome: 'NOT_SUPPORTED', losses: [], reason: `Pharos does not accept it: ${reason}.` }
  })
  return { ...result, objects }
}
