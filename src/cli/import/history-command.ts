import { connect, connectionOptions } from '../api/connect.ts'
import { type ClientCommand, UsageError } from '../command.ts'
import { CONNECTION_NOTE } from '../environment.ts'

export const importHistoryCommand: ClientCommand = {
  name: 'import-history',
  summary: 'Import the uptime history of another tool',
  positionals: ['SOURCE', 'FILE'],
  options: connectionOptions,
  notes: () => [
    'SOURCE is kuma, and FILE a kuma.db of Uptime Kuma 1.23 or 2, or a mysqldump. Kuma may be running. Import its monitors first.',
    'The time before a monitor was created here is imported, as hours and days. Run it again after an interruption, or later: nothing doubles.',
  ],
  examples: ['pharos import kuma kuma.db --apply && pharos import-history kuma kuma.db'],
  variables: [CONNECTION_NOTE],
  async call(environment, args) {
    const [source, path = ''] = args.positionals
    if (source !== 'kuma') throw new UsageError(`SOURCE must be kuma, not "${source}"`)
    const pharos = connect(environment, args.options.profile)
    // Loaded here, so that listing commands does not load it.
    const { importKumaHistory } = await import('./history.ts')
    return importKumaHistory(pharos, path)
  },
}
