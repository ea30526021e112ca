import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { execute } from '../../src/storage/query.ts'
import { apply } from '../configuration/support.ts'
import { polled } from '../shadow-runs/support.ts'
import { useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { forEachEngine } from '../support/engines.ts'
import { startTools } from './hostile-tools.ts'

const MONITORS = 10_000
const POLL_MS = 30_000
/** A quiet machine needs at most 40. All in one turn takes 190 and more. */
const MAX_TURN_MS = 100

forEachEngine('verdicts about 10,000 monitors', (engine) => {
  const clock = new HandClock()
  const api = useApi(engine, { clock, env: { PHAROS_ROLES: 'api,scheduler' } })

  test('that all change with every poll end the run, and no turn of the event loop is long', async (t) => {
    const { client } = await api.tenant()
    const names = Array.from({ length: MONITORS }, (_, i) => `${'n'.repeat(30)}${i}`)
    const monitors = names.map((name, i) => [`m-${i}`, { name, type: 'HTTP', url: `https://shop.example/${i}` }])
    await apply(client, { version: 1, source: 'import-gatus', monitors: Object.fromEntries(monitors) })
    await api.server.running.database.write(() => execute(sql.raw(`update monitor_states set state = 'UP'`)))
    await using tools = await startTools()
    let polls = 0
    const url = tools.add({
      tool: 'GATUS',
      name: 'changing',
      error: null,
      answer: () => {
        polls += 1
        // One stays up: otherwise the tool is in doubt.
        const endpoint = (name: string, i: number) =>
          `{"name":"${name}","results":[{${i === 0 || polls % 2 === 0 ? '"success":true' : ''}}]}`
        return { body: Buffer.from(`[${names.map(endpoint).join()}]`) }
      },
    })
    const measured = async <T>(what: string, work: Promise<T>): Promise<T> => {
      const turns = measureTurns()
      const result = await work
      const longestMs = turns.stop()
      t.diagnostic(`${what}: longest turn ${longestMs.toFixed(0)} ms`)
      assert.ok(longestMs < MAX_TURN_MS, `${what}: ${longestMs} ms of CPU time in one turn`)
      return result
    }
    const { body } = await client.post('/shadow-runs', { tool: 'GATUS', url })
    const path = `/shadow-runs/${body.id}`
    let run = await measured('first poll', polled(client, body.id, null))
    assert.deepEqual([run.matched, run.lastError], [MONITORS, null])
    for (let i = 0; i < 2; i += 1) {
      clock.advance(POLL_MS)
      run = await measured('poll', polled(client, body.id, run.lastPollAt))
    }
    assert.notEqual(run.endedAt, null)
    assert.equal(
      run.lastError,
      'The verdicts have changed more than 20,000 times, which is the most that a shadow run records. The run has ended.',
    )
    clock.advance(600_000)
    const found = await measured('disagreements', client.get(`${path}/disagreements?limit=100`))
    assert.equal(found.body.data.length, 100)
    await measured('run', client.get(path))
    await measured('a new run in place of it', client.post('/shadow-runs', { tool: 'GATUS', url }))
  })
})
