import { setTimeout as delay } from 'node:timers/promises'
import type { Pharos } from '../../../clients/typescript/src/index.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { connect, connectionOptions } from '../api/connect.ts'
import { type Arguments, type ClientCommand, CommandError, displayTime, type Option, UsageError } from '../command.ts'
import { confirm } from '../confirm.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { finishedText } from '../import/commands.ts'
import { readInput } from '../input.ts'

type Run = Awaited<ReturnType<Pharos['shadowRuns']['get']>>

/** Its first answer takes seconds. */
const FIRST_POLL_MS = 30_000

const names = { KUMA: 'Uptime Kuma', GATUS: 'Gatus', UPTIMEROBOT: 'UptimeRobot' } as const

const keyOptions: Readonly<Record<string, Option>> = {
  key: { value: 'KEY', help: 'The key. Other users of this machine may see it in the list of processes' },
  'key-file': { value: 'FILE', help: 'A file with the key; "-" reads standard input' },
  days: { value: 'N', help: 'When the run ends by itself (default: 7)' },
}

const keyNote =
  'The key is taken from --key-file, from the environment variable PHAROS_SHADOW_KEY, or from --key. It is stored encrypted and deleted when the run ends.'

interface ToolCommand {
  readonly tool: Run['tool']
  readonly name: string
  readonly urlOption?: readonly [name: string, option: Option]
  readonly keyHelp: string
  readonly example: string
}

function startCommand({ tool, name, urlOption, keyHelp, example }: ToolCommand): ClientCommand {
  return {
    name: `shadow ${name}`,
    summary: `Compare the verdicts of ${names[tool]} with those of the imported monitors`,
    options: { ...(urlOption && { [urlOption[0]]: urlOption[1] }), ...keyOptions, ...connectionOptions },
    notes: () => [keyHelp, keyNote],
    examples: [example],
    variables: [CONNECTION_NOTE],
    async call(environment, args) {
      const key = keyOf(environment, args)
      const url = urlOption && args.options[urlOption[0]]
      const { days } = args.options
      if (days !== undefined && !/^\d+$/.test(days)) throw new UsageError('--days must be a number')
      const body = { tool, ...(url && { url }), ...(key && { key }), ...(days && { days: Number(days) }) }
      const { shadowRuns } = connect(environment, args.options.profile)
      const { id } = await shadowRuns.create(body)
      const run = await firstPoll(shadowRuns, id)
      return { text: started(run), json: run }
    },
  }
}

function keyOf(environment: Environment, { options }: Arguments): string | undefined {
  const file = options['key-file']
  return (file === undefined ? (options.key ?? environment.PHAROS_SHADOW_KEY) : readInput(file))?.trim() || undefined
}

/** Waits for the first answer, so that a wrong key or address is reported here. */
async function firstPoll(shadowRuns: Pharos['shadowRuns'], id: string): Promise<Run> {
  const giveUpAt = performance.now() + FIRST_POLL_MS
  for (;;) {
    const run = await shadowRuns.get(id)
    if (run.lastPollAt !== null || performance.now() >= giveUpAt) return run
    await delay(500)
  }
}

function started(run: Run): string {
  return [
    `The shadow run with ${names[run.tool]} has started and ends by itself at ${displayTime(run.endsAt)}.`,
    ...stateOf(run),
    'Imported contacts stay disabled until then.',
    'Look at Settings, Shadow run in the dashboard, or run: pharos shadow status',
    `When you are content, run: pharos shadow finish ${run.tool.toLowerCase()}`,
  ].join('\n')
}

function stateOf({ matched, endedAt, lastError, lastPollAt, unmatchedHere, unmatchedThere }: Run): string[] {
  if (lastError !== null) return [endedAt === null ? `It does not work yet: ${lastError}` : lastError]
  if (lastPollAt === null) return ['It has not been answered yet.']
  const missing = (total: number, where: string, list: readonly string[]) =>
    total === 0 ? [] : [`${total} only ${where}: ${list.slice(0, 10).join(', ')}${total > 10 ? ', …' : ''}`]
  return [
    `${matched} ${matched === 1 ? 'monitor is' : 'monitors are'} compared.`,
    ...missing(unmatchedThere.total, 'there', unmatchedThere.names),
    ...missing(unmatchedHere.total, 'here', unmatchedHere.names),
  ]
}

const statusCommand: ClientCommand = {
  name: 'shadow status',
  summary: 'Show how far Pharos and the other tool agree',
  options: connectionOptions,
  examples: ['pharos shadow status'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const { data } = await connect(environment, args.options.profile).shadowRuns.list()
    const text =
      data.length === 0
        ? 'There is no shadow run. Start one with: pharos shadow kuma'
        : data.map(described).join('\n\n')
    return { text, json: data }
  },
}

function described(run: Run): string {
  const { tool, endedAt, endsAt, agreement, counts } = run
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return [
    `${names[tool]}: ${endedAt === null ? `runs until ${displayTime(endsAt)}` : `ended at ${displayTime(endedAt)}`}`,
    ...stateOf(run),
    agreement === null
      ? 'Nothing could be compared yet.'
      : `Agreement: ${shownPercent(agreement)} of the time, ${total} disagreements`,
    ...(total > 0 ? [`List them with: pharos shadow-runs disagreements ${run.id}`] : []),
  ].join('\n')
}

/** Rounded down, so that 100% means that there was no disagreement. */
function shownPercent(agreement: number): string {
  return `${Math.floor(agreement * 100) / 100}%`
}

const finishCommand: ClientCommand = {
  name: 'shadow finish',
  summary: 'End a shadow run and enable the imported contacts',
  positionals: ['TOOL'],
  options: {
    'keep-disabled': { help: 'Leave the imported contacts disabled' },
    yes: { short: 'y', help: 'Do not ask' },
    ...connectionOptions,
  },
  notes: () => ['TOOL is kuma, gatus or uptimerobot.'],
  examples: ['pharos shadow finish kuma'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const tool = (args.positionals[0] ?? '').toUpperCase()
    if (!(tool in names)) throw new UsageError('TOOL must be kuma, gatus or uptimerobot')
    const enableContacts = args.options['keep-disabled'] === undefined
    const { shadowRuns } = connect(environment, args.options.profile)
    const run = (await shadowRuns.list()).data.find((one) => one.tool === tool)
    if (run === undefined) throw new CommandError(`There is no shadow run with ${names[tool as Run['tool']]}`)
    if (enableContacts && args.options.yes === undefined) {
      await confirm('Pharos will send alerts to the imported contacts. Have you turned them off in the other tool?')
    }
    const result = await shadowRuns.finish(run.id, { enableContacts })
    return { text: `Ended. ${finishedText(result)}`, json: result }
  },
}

export const shadowCommands: readonly ClientCommand[] = [
  startCommand({
    tool: 'KUMA',
    name: 'kuma',
    urlOption: ['metrics', { value: 'URL', required: true, help: 'The address of its metrics page' }],
    keyHelp: 'The key is an API key (Settings, API Keys), or user:password.',
    example: 'pharos shadow kuma --metrics https://kuma.example/metrics --key-file kuma.key',
  }),
  startCommand({
    tool: 'GATUS',
    name: 'gatus',
    urlOption: ['url', { value: 'URL', required: true, help: 'The address of its status page' }],
    keyHelp: 'The key is user:password, if Gatus asks for them.',
    example: 'pharos shadow gatus --url https://status.example',
  }),
  startCommand({
    tool: 'UPTIMEROBOT',
    name: 'uptimerobot',
    keyHelp: 'The key is an API key, best a read-only one (Integrations & API).',
    example: 'pharos shadow uptimerobot --key-file uptimerobot.key',
  }),
  statusCommand,
  finishCommand,
]
