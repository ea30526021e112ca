import { mergeDocument, writeDocument } from '../../discovery/merge.ts'
import { DiscoveryError } from '../../discovery/request.ts'
import { durationMs } from '../../discovery/settings.ts'
import { cleanJson } from '../../lib/json.ts'
import { truncate } from '../../lib/text.ts'
import { escapeVariables } from '../../lib/variables.ts'
import { writeYaml } from '../../lib/write-yaml.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { connect } from '../api/connect.ts'
import { explainError } from '../api/explain-error.ts'
import { untilEnded } from '../api/until-ended.ts'
import { cleanLine } from '../clean-text.ts'
import { usesColor } from '../color-states.ts'
import { type Arguments, type ClientCommand, CommandError, UsageError } from '../command.ts'
import { countOf, describePlan } from '../configuration/describe-plan.ts'
import { follow } from './follow.ts'
import type { List, Listing } from './platforms.ts'
import { applyDocument, type Merge, saveFile, withoutInvalid } from './save.ts'

const MAX_PROBLEMS = 100
const MAX_PROBLEM_CHARS = 500
const GRACE_DEFAULT = '24h'
/** The form of sources in documents. */
const sourceForm = /^[a-z0-9][a-z0-9-]{0,62}$/

/** Runs a discovery command: lists, and prints, writes or applies the document, once or after every change. */
export async function discover(
  command: ClientCommand,
  defaultSource: string,
  environment: Environment,
  { options }: Arguments,
  createList: () => List,
): Promise<undefined> {
  const { source = defaultSource, output, apply, watch, grace = GRACE_DEFAULT, json } = options
  if (!sourceForm.test(source)) throw new UsageError('--source must have 1 to 63 of a-z, 0-9 and hyphens')
  const graceMs = durationMs(grace)
  if (graceMs === undefined) throw new UsageError(`--grace must be a duration such as 90m, 24h or 7d, not "${grace}"`)
  if (apply !== undefined && output !== undefined) throw new UsageError('Use --apply or --output, not both')
  if (watch !== undefined && apply === undefined && output === undefined) {
    throw new UsageError('--watch needs --apply or --output FILE')
  }
  const report = createReporter(command)
  let isFirst = true
  const save = async (listing: Listing): Promise<void> => {
    const merge: Merge = (previous) => mergeDocument(listing.found, previous, Date.now(), graceMs)
    const problems = [...listing.problems]
    if (apply !== undefined) {
      const applied = await applyDocument(connect(environment, options.profile), source, merge)
      const { changes, summary } = applied
      problems.push(...applied.problems)
      if (isFirst || countOf(summary) > 0) print(describePlan(changes, summary, usesColor(environment)))
    } else if (output !== undefined) {
      const saved = await saveFile(output, source, merge)
      problems.push(...saved.problems)
      if (saved.written > 0)
        print(`Wrote ${saved.written} ${saved.written === 1 ? 'monitor' : 'monitors'} to ${output}`)
    } else {
      const merged = await withoutInvalid(merge(new Map()), new Map())
      problems.push(...merged.problems)
      const document = escapeVariables(writeDocument(source, merged.monitors))
      print(json === undefined ? writeYaml(document) : cleanJson(document))
    }
    isFirst = false
    report.problems(problems)
  }
  await untilEnded(async (signal) => {
    try {
      const list = createList()
      if (watch === undefined) await save(await list(signal))
      else await follow(list, save, report.fault, signal)
    } catch (error) {
      if (!signal.aborted) throw explained(error, command)
    }
  })
  return undefined
}

/** Repeats nothing: what is the same as after the last listing was printed already. */
function createReporter(command: ClientCommand) {
  let lastProblems = ''
  let lastFault = ''
  return {
    problems(problems: readonly string[]): void {
      const text = problems.join('\n')
      if (text !== lastProblems) {
        for (const problem of problems.slice(0, MAX_PROBLEMS)) warn(truncate(problem, MAX_PROBLEM_CHARS))
        if (problems.length > MAX_PROBLEMS) warn(`There are ${problems.length - MAX_PROBLEMS} more problems`)
      }
      lastProblems = text
    },
    /** Throws what is no fault of the two APIs but a bug. */
    fault(fault: unknown): void {
      const error = fault === undefined ? undefined : explained(fault, command)
      if (error !== undefined && !(error instanceof CommandError)) throw error
      const text = error?.message ?? ''
      if (text !== '' && text !== lastFault) warn(`${text}. Trying again`)
      if (text === '' && lastFault !== '') warn('Works again')
      lastFault = text
    },
  }
}

function explained(error: unknown, command: ClientCommand): unknown {
  if (error instanceof DiscoveryError) return new CommandError(error.message, { cause: error })
  return explainError(error, command)
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

function warn(text: string): void {
  process.stderr.write(`pharos: ${cleanLine(text)}\n`)
}
