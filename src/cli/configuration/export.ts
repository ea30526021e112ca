import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { writeYaml } from '../../lib/write-yaml.ts'
import { connect, connectionOptions } from '../api/connect.ts'
import { type ClientCommand, CommandError, UsageError } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'
import { outputFormat } from '../parse-arguments.ts'
import { suggestWord } from '../suggest.ts'
import { totalOf } from './sources.ts'

/** The source of documents that name none. */
const DEFAULT_SOURCE = 'default'

export const exportCommand: ClientCommand = {
  name: 'export',
  summary: 'Print the resources that no other source manages as a configuration document',
  options: {
    source: { value: 'NAME', help: 'Only resources of this source ("pharos sources")' },
    all: { help: 'The resources of all sources, for another installation. Applied here, it would create them again' },
    ids: { help: 'Write the ids of resources that no document manages, so that applying the file here adopts them' },
    ...connectionOptions,
  },
  notes: () => [
    'Prints YAML, or JSON with --json. What other sources manage is left out, and named on standard error.',
    `Secrets are written as \${NAME}: set these variables before you apply the file.`,
  ],
  examples: ['pharos export --ids > pharos.yaml', 'pharos export --all > everything.yaml'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const { source, all, ids, profile } = args.options
    if (source !== undefined && all !== undefined) throw new UsageError('Use --source or --all, not both')
    const pharos = connect(environment, profile)
    const others = all === undefined ? await otherSources(pharos, source) : []
    const query = {
      ...(source !== undefined && { source }),
      ...(all !== undefined && { all: true }),
      ...(ids !== undefined && { ids: true }),
    }
    const document = await pharos.configuration.get(query)
    if (source === undefined && others.length > 0) process.stderr.write(`${leftOutText(others)}\n`)
    if (outputFormat(args) === 'json') return { text: '', json: document }
    process.stdout.write(`${writeYaml(document)}\n`)
    return undefined
  },
}

interface Other {
  readonly source: string
  readonly total: number
}

/** The sources that the document does not have. Throws if there is no such source as the one that was named. */
async function otherSources(pharos: Pharos, named: string | undefined): Promise<readonly Other[]> {
  const { sources } = await pharos.configuration.sources()
  const names = sources.map(({ source }) => source)
  if (named !== undefined && named !== DEFAULT_SOURCE && !names.includes(named)) {
    const suggestion = suggestWord(named, names)
    const meant = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
    throw new CommandError(`No source "${named}" manages a resource.${meant} Run "pharos sources" to see all`)
  }
  return sources
    .filter(({ source }) => source !== (named ?? DEFAULT_SOURCE))
    .map((counted) => ({ source: counted.source, total: totalOf(counted) }))
}

function leftOutText(others: readonly Other[]): string {
  const count = others.reduce((sum, { total }) => sum + total, 0)
  const each = others.map(({ source, total }) => `${source} (${total})`).join(', ')
  const of = others.length === 1 ? 'another source' : `${others.length} other sources`
  return `pharos: left out ${count} ${count === 1 ? 'resource' : 'resources'} of ${of}: ${each}. Use --source NAME, or --all for all.`
}
