import { connect, connectionOptions } from '../api/connect.ts'
import { type ClientCommand, UsageError } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'

/** The files that are given to each source, for the help. */
const examples = [
  'pharos import kuma kuma.db -o pharos.yaml --report report.md',
  'pharos import gatus config.yaml -o pharos.yaml',
  'pharos import uptimerobot monitors.json contacts.json windows.json pages.json -o pharos.yaml',
  'pharos import betterstack monitors.json heartbeats.json status-pages.json -o pharos.yaml',
  'pharos import healthchecks checks.json channels.json -o pharos.yaml',
  'pharos import statuscake uptime.json heartbeat.json ssl.json -o pharos.yaml',
  'pharos import statuspage components.json incidents.json -o pharos.yaml',
  'pharos import kuma kuma.db --apply --history',
]

const importCommand: ClientCommand = {
  name: 'import',
  summary: 'Read the configuration of another tool as a configuration document',
  positionals: ['SOURCE', 'FILE…'],
  repeatsLast: true,
  options: {
    output: { short: 'o', value: 'FILE', help: 'Write the document to a file (default: standard output)' },
    report: { value: 'FILE', help: 'Write what became of every object to a Markdown file' },
    'alert-now': { help: 'Do not mute the imported monitors: contacts that exist are alerted from the start' },
    apply: { help: 'Plan the document, ask, and apply it' },
    history: { help: 'With --apply, of kuma: import its uptime history, too ("pharos import-history")' },
    yes: { short: 'y', help: 'With --apply: do not ask' },
    json: { help: 'Print the document and the report as JSON' },
    ...connectionOptions,
  },
  notes: async () => {
    const { sources } = await import('../../importers/sources.ts')
    const known = Object.entries(sources).map(([name, { title, files }]) => `  ${name.padEnd(14)}${title}: ${files}`)
    return [
      'SOURCE and FILE:',
      ...known,
      '',
      'Contacts arrive disabled, and monitors are muted for 7 days, so that two tools never alert the same people.',
      '"pharos import finish SOURCE" enables and unmutes them.',
      'The document holds the secrets of the other tool: the file can be read by you only. See docs/importing.md.',
    ]
  },
  examples,
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const { sources } = await import('../../importers/sources.ts')
    const name = args.positionals[0] ?? ''
    const source = Object.entries(sources).find(([known]) => known === name)?.[1]
    if (source === undefined) throw unknownSource(name, Object.keys(sources))
    if (args.options.history !== undefined && (name !== 'kuma' || args.options.apply === undefined)) {
      const problem =
        '--history is for kuma, with --apply; of monitors that exist already: pharos import-history kuma FILE'
      throw new UsageError(problem, undefined, 'import')
    }
    const { runImport } = await import('./import.ts')
    return runImport(environment, args, source)
  },
}

const finishCommand: ClientCommand = {
  name: 'import finish',
  summary: 'Enable the contacts and unmute the monitors of an import',
  positionals: ['SOURCE'],
  options: connectionOptions,
  notes: () => ['Run it when the other tool has stopped alerting.'],
  examples: ['pharos import finish kuma'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const name = args.positionals[0] ?? ''
    const { sourceNames } = await import('../../importers/result.ts')
    if (!(sourceNames as readonly string[]).includes(name)) throw unknownSource(name, sourceNames)
    const pharos = connect(environment, args.options.profile)
    const result = await pharos.configuration.finishImport({ source: `import-${name}` })
    return { text: finishedText(result), json: result }
  },
}

export function finishedText(done: { enabledContacts: number; unmutedMonitors: number }): string {
  const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`
  return `Enabled ${countOf(done.enabledContacts, 'contact')}, unmuted ${countOf(done.unmutedMonitors, 'monitor')}.`
}

function unknownSource(name: string, known: readonly string[]): UsageError {
  return new UsageError(`SOURCE must be one of ${known.join(', ')}, not "${name}"`, undefined, 'import')
}

/** The longer name first: "import finish" is no source. */
export const importCommands: readonly ClientCommand[] = [finishCommand, importCommand]
