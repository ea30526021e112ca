/** A node of Pharos by the environment, for which the addresses with the prefix of its argument are public. */
import { createLog } from '../../../src/lib/log.ts'
import { readConfig } from '../../../src/server/config/config.ts'
import { startPharos } from '../../../src/server/start.ts'

const [prefix = ''] = process.argv.slice(2)
await startPharos(readConfig(process.env), {
  log: createLog('warn'),
  isPublic: (address) => address.startsWith(prefix),
})
process.stdout.write('Pharos is running\n')
