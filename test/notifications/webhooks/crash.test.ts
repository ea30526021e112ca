import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forEachEngine } from '../../support/engines.ts'
import { freshDatabase } from '../../support/postgres.ts'
import { ordeal } from './ordeal.ts'

/** `node test/webhooks/ordeal.ts 60` takes a whole minute. */
const SECONDS = 15

forEachEngine('webhooks under kill -9', (engine) => {
  test('every event that was committed arrives, under one id and as it was committed, and no other does', async (t) => {
    await using made = engine === 'postgres' ? await freshDatabase() : undefined
    const tally = await ordeal(SECONDS, made)
    t.diagnostic(JSON.stringify(tally))
    assert.ok(tally.kills >= 4 && tally.events >= 30, 'the ordeal was one')
  })
})
