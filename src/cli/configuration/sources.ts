import type { Pharos } from '../../../clients/typescript/src/index.ts'
import { connect, connectionOptions } from '../api/connect.ts'
import { type ClientCommand, table } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'

type Sources = Awaited<ReturnType<Pharos['configuration']['sources']>>
type Counts = Sources['unmanaged']

const kinds: readonly (readonly [kind: keyof Counts, heading: string])[] = [
  ['monitors', 'MONITORS'],
  ['contacts', 'CONTACTS'],
  ['statusPages', 'STATUS PAGES'],
  ['maintenanceWindows', 'WINDOWS'],
  ['webhookEndpoints', 'WEBHOOKS'],
]

export const sourcesCommand: ClientCommand = {
  name: 'sources',
  summary: 'List the sources of configuration files and how many resources each manages',
  options: connectionOptions,
  notes: () => ['"pharos export --source NAME" prints the resources of a source.'],
  examples: ['pharos sources'],
  variables: [CONNECTION_NOTE],
  async call(environment, { options }) {
    const found = await connect(environment, options.profile).configuration.sources()
    const rows = [...found.sources, { source: '(no file)', ...found.unmanaged }]
    const cells = rows.map((row) => [row.source, ...kinds.map(([kind]) => String(row[kind]))])
    return { text: table(['SOURCE', ...kinds.map(([, heading]) => heading)], cells), json: found }
  },
}

export function totalOf(counts: Counts): number {
  return kinds.reduce((sum, [kind]) => sum + counts[kind], 0)
}
