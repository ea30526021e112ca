import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { rounds } from '../../support/rounds.ts'
import { killNodes } from './kill-nodes.ts'

const KILLS = 2 * rounds

forEachEngine('webhooks under kill -9', (engine) => {
  test('every committed event is received with its id and its bytes, and nothing else is', async (t) => {
    await using created = engine === 'postgres' ? await freshDatabase() : undefined
    t.diagnostic(JSON.stringify(await killNodes(KILLS, created)))
  })
})
