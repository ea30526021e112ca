/** A node of Pharos by the environment, for which the addresses with the prefixes of its arguments are public. */
import { createLog } from '../../../src/lib/log.ts'
import { readConfig } from '../../../src/server/config/config.ts'
import { startPharos } from '../../../src/server/start.ts'

const prefixes = process.argv.slice(2)
await startPharos(readConfig(process.env), {
  log: createLog('warn'),
  isPublic: (address) => prefixes.some((prefix) => address.startsWith(prefix)),
})
process.stdout.write('Pharos is running\n')
