/** A program that plays the next version of the server: the present one, with more migrations. */
import { flushCompileCache } from 'node:module'
import { createLog } from '../../src/lib/log.ts'
import { readConfig } from '../../src/server/config/config.ts'
import { startPharos } from '../../src/server/start.ts'
import { nextMigrations } from './next-migrations.ts'

const config = readConfig(process.env)
const running = await startPharos(config, { log: createLog(config.logLevel), migrations: nextMigrations })
process.on('SIGTERM', () => void running.stop(config.drainSeconds * 1_000))
process.stdout.write('Pharos is running\n')
// The next process starts faster. Node writes it at the end of a process otherwise.
flushCompileCache()
