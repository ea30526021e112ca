import { type Pharos, PharosError } from '../../../clients/typescript/src/index.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { connect, connectionOptions } from '../api/connect.ts'
import { usesColor } from '../color-states.ts'
import { type Arguments, type ClientCommand, CommandError, type Option, type Report, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { outputFormat } from '../parse-arguments.ts'
import { type Change, countOf, describePlan, problemsText, type Summary } from './describe-plan.ts'
import { describeResult } from './describe-result.ts'
import { exportCommand } from './export.ts'
import type { Configuration } from './read-files.ts'
import { sourcesCommand } from './sources.ts'
import { validateCommand } from './validate.ts'
import { createMask, type Mask } from './variables.ts'

type PlanBody = Parameters<Pharos['configuration']['plan']>[0]
/** The exit code of `plan --check` where something would change. */
const CHANGES_EXIT_CODE = 3

const deleteOption: Option = {
  help: 'Delete resources that the files no longer have, with their history, instead of releasing them',
}

const fileNotes = [
  `FILE is a file or a folder; several make one document. \${NAME} in a file is the value of an environment variable.`,
  'The format is described in docs/configuration-as-code.md.',
]

const planCommand: ClientCommand = {
  name: 'plan',
  summary: 'Show what applying configuration files would change',
  positionals: ['FILE…'],
  repeatsLast: true,
  options: {
    delete: deleteOption,
    check: { help: `Exit with ${CHANGES_EXIT_CODE} if something would change` },
    ...connectionOptions,
  },
  notes: () => fileNotes,
  examples: ['pharos plan pharos.yaml'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const { plan } = await planFiles(environment, args)
    const exitCode = args.options.check !== undefined && countOf(plan.summary) > 0 ? CHANGES_EXIT_CODE : 0
    if (outputFormat(args) !== 'table') return { text: '', json: plan, exitCode }
    process.stdout.write(`${describePlan(plan.changes, plan.summary, usesColor(environment))}\n`)
    if (plan.confirmDeletes !== undefined) {
      process.stdout.write(`"pharos apply --yes" will need --confirm-deletes ${plan.confirmDeletes}.\n`)
    }
    process.exitCode = exitCode
    return undefined
  },
}

const applyCommand: ClientCommand = {
  name: 'apply',
  summary: 'Apply configuration files, all or nothing',
  positionals: ['FILE…'],
  repeatsLast: true,
  options: {
    delete: deleteOption,
    yes: { short: 'y', help: 'Do not ask' },
    'confirm-deletes': {
      value: 'N',
      help: 'The number of monitors that are deleted; needed with --yes if it is more than a fifth',
    },
    ...connectionOptions,
  },
  notes: () => fileNotes,
  examples: ['pharos apply pharos.yaml', 'pharos apply monitors/ --yes --delete'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    return applyPlan(environment, args, await planFiles(environment, args))
  },
}

/** Shows a plan, asks, and applies it. */
export async function applyPlan(
  environment: Environment,
  args: Arguments,
  { pharos, plan, configuration, mask }: Planned,
): Promise<Report | undefined> {
  const isTable = outputFormat(args) === 'table'
  if (isTable) process.stdout.write(`${describePlan(plan.changes, plan.summary, usesColor(environment))}\n`)
  const count = countOf(plan.summary)
  if (count === 0) return isTable ? undefined : { text: '', json: { changes: [], summary: plan.summary } }
  if (args.options.yes === undefined) await confirm(`Apply ${count} ${count === 1 ? 'change' : 'changes'}?`)
  if (process.stderr.isTTY) process.stderr.write(`Applying ${count} ${count === 1 ? 'change' : 'changes'}…\n`)
  const deleted = confirmedDeletes(args, plan.changes)
  const body = { planId: plan.planId, ...(deleted !== undefined && { confirmDeletes: deleted }) }
  const result = await attempt(() => pharos.configuration.apply(body), configuration, mask)
  if (!isTable) return { text: '', json: { ...result, changes: mask.changes(result.changes) } }
  process.stdout.write(`${describeResult(result.changes)}\n`)
  return undefined
}

/** A person who has seen the plan has confirmed it; a script must know the number. */
function confirmedDeletes({ options }: Arguments, changes: readonly Change[]): number | undefined {
  const given = options['confirm-deletes']
  if (given !== undefined) {
    if (!/^\d+$/.test(given)) throw new UsageError('--confirm-deletes must be a number')
    return Number(given)
  }
  if (options.yes !== undefined) return undefined
  return changes.filter(({ action, kind }) => action === 'DELETE' && kind === 'monitors').length
}

interface Planned {
  readonly pharos: Pharos
  readonly configuration: Configuration
  readonly mask: Mask
  readonly plan: {
    readonly planId: string
    readonly confirmDeletes?: number
    readonly changes: readonly Change[]
    readonly summary: Summary
  }
}

async function planFiles(environment: Environment, args: Arguments): Promise<Planned> {
  // Loaded here, so that listing commands does not load the YAML parser.
  const { readConfiguration } = await import('./read-files.ts')
  return planDocument(environment, args, readConfiguration(args.positionals, environment))
}

export async function planDocument(
  environment: Environment,
  args: Arguments,
  configuration: Configuration,
): Promise<Planned> {
  const document = configuration.document as PlanBody['document']
  const body = { document, delete: args.options.delete !== undefined }
  const { variables = { values: new Map(), shown: configuration.document } } = configuration
  const mask = createMask(configuration.document, variables)
  const plan = async () => {
    const pharos = connect(environment, args.options.profile)
    const { changes, ...others } = await pharos.configuration.plan(body)
    return { pharos, plan: { ...others, changes: mask.changes(changes) } }
  }
  return { configuration, mask, ...(await attempt(plan, configuration, mask)) }
}

/** Reports the problems of the files and the faults that the server finds in the document together, in the order of the files. */
async function attempt<T>(run: () => Promise<T>, configuration: Configuration, mask: Mask): Promise<T> {
  const { problems = [] } = configuration
  const outcome = await run().then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  )
  if ('result' in outcome && problems.length === 0) return outcome.result
  const error = 'error' in outcome ? outcome.error : undefined
  const isFault = error instanceof PharosError && error.code === 'validation_error' && error.details.length > 0
  if (problems.length === 0 && !isFault) {
    if (error instanceof PharosError) error.message = mask.message(error.message)
    throw error
  }
  const faults = isFault ? faultsIn(error, configuration, mask) : []
  const all = [...problems, ...faults].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const hidden = isFault ? hiddenIn(error) : 0
  throw new CommandError(problemsText(hidden > 0 ? [...all, `and ${hidden} more`] : all), { cause: error })
}

/** Faults of the document with their place in the files, without those of variables that are not set. */
function faultsIn({ details }: PharosError, { locate, isUnset }: Configuration, mask: Mask): string[] {
  return details.flatMap(({ path, message }) => {
    if (path === 'confirmDeletes') return `--confirm-deletes ${message}`
    const inner = path.replace(/^document\.?/, '')
    return isUnset?.(inner) ? [] : `${locate(inner)} ${inner} ${mask.message(message, inner)}`
  })
}

/** How many faults the server has found that it does not list. */
function hiddenIn({ message, details }: PharosError): number {
  const more = / \(and (at least )?(\d+) more\)$/.exec(message)
  return more === null ? 0 : Number(more[2]) + 1 - details.length
}

export const configurationCommands: readonly ClientCommand[] = [
  exportCommand,
  sourcesCommand,
  validateCommand,
  planCommand,
  applyCommand,
]
