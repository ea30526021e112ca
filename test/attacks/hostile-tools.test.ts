import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { apply } from '../configuration/support.ts'
import { polled } from '../shadow-runs/support.ts'
import { useApi } from '../support/api.ts'
import { HandClock } from '../support/clock.ts'
import { measureTurns } from '../support/cpu-time.ts'
import { createMonitor } from '../support/monitors.ts'
import { hostileAnswers, startTools } from './hostile-tools.ts'
import { MAX_SINGLE_TURN_MS } from './short-turns.ts'

/** A thread for foreign text has 352 MiB. */
const MAX_GROWTH_BYTES = 400 * 1024 * 1024

describe('an answer of the other tool of a shadow run', () => {
  const clock = new HandClock()
  const api = useApi('sqlite', { clock, env: { PHAROS_ROLES: 'api,scheduler' } })

  for (const answersOf of hostileAnswers) {
    const answers = answersOf()
    const [{ tool }] = answers as [(typeof answers)[0]]
    test(`of ${tool} delays nobody, and the run says what is wrong`, async (t) => {
      await using tools = await startTools()
      const victim = (await api.tenant()).client
      const { id: monitorId } = await createMonitor(victim)
      const runs = await Promise.all(
        answers.map(async (answer) => {
          const { client } = await api.tenant()
          // Without one, nothing is matched.
          const shop = { name: 'Shop', type: 'HTTP', url: 'https://shop.example/' }
          await apply(client, { version: 1, source: `import-${tool.toLowerCase()}`, monitors: { shop } })
          const url = tools.add(answer)
          const { body, status } = await client.post('/shadow-runs', { tool, url, key: 'key' })
          assert.equal(status, 201, JSON.stringify(body))
          return { client, url, answer, id: body.id as string }
        }),
      )
      const rssBefore = process.memoryUsage().rss
      let rss = rssBefore
      const turns = measureTurns()
      let isOver = false
      const watching = (async () => {
        while (!isOver) {
          assert.equal((await victim.get(`/monitors/${monitorId}`)).status, 200)
          rss = Math.max(rss, process.memoryUsage().rss)
        }
      })()
      const polls = await Promise.all(
        runs.map(async ({ client, id, ...run }) => ({ ...run, run: await polled(client, id, null) })),
      )
      isOver = true
      await watching
      const longestMs = turns.stop()
      t.diagnostic(`longest turn ${longestMs.toFixed(0)} ms, ${Math.round((rss - rssBefore) / 1024 / 1024)} MiB more`)
      for (const { run, url, answer } of polls) {
        const { name, error, pages } = answer
        if (error === null) assert.equal(run.lastError, null, name)
        else assert.match(run.lastError ?? '', error, name)
        assert.equal(run.endedAt, null, name)
        assert.ok(JSON.stringify(run).length < 30_000, `${name}: ${JSON.stringify(run).length} characters`)
        if (pages !== undefined) assert.equal(tools.asked(url), pages, name)
      }
      assert.ok(longestMs < MAX_SINGLE_TURN_MS, `${longestMs} ms of CPU time in one turn`)
      assert.ok(rss - rssBefore < MAX_GROWTH_BYTES, `${rss - rssBefore} bytes more`)
    })
  }
})
