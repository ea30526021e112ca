import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { HandClock } from '../../support/clock.ts'
import { forEachEngine } from '../../support/engines.ts'
import { eventually } from '../../support/eventually.ts'
import { createMonitor, current, smallest } from '../../support/monitors.ts'
import { freePort } from '../../support/ports.ts'
import { BOOTSTRAP_KEY, clientOf, startTestServer } from '../../support/server.ts'
import { startProcess } from '../../support/server-process.ts'
import { startHttpTarget } from '../../support/targets.ts'
import { migratedWorkspace } from '../../support/workspace.ts'
import { checkCountsAt, expectNoIncident, metricsEnv } from './faults.ts'
import { resultsOf } from './stored-history.ts'

forEachEngine('a process that was stopped', (engine) => {
  test('a timeout that passed while the process was stopped is inconclusive and counted', async () => {
    await using workspace = await migratedWorkspace(engine)
    await using target = await startHttpTarget()
    const metricsUrl = `http://127.0.0.1:${await freePort()}/metrics`
    await using node = await startProcess({ ...workspace.env, PHAROS_METRICS_LISTEN: new URL(metricsUrl).host })
    const client = clientOf(node.url, { 'x-api-key': BOOTSTRAP_KEY })
    const answer = target.hold()
    const visited = target.visited()
    const before = await createMonitor(client, smallest('HTTP', { url: target.url, timeoutSeconds: 2 }))
    await visited
    process.kill(node.pid, 'SIGSTOP')
    // Longer than the timeout of the check.
    await setTimeout(2_200)
    process.kill(node.pid, 'SIGCONT')
    await eventually(async () => assert.equal((await checkCountsAt(metricsUrl)).inconclusive, 1))
    assert.deepEqual(await current(client, before.id), before)
    await expectNoIncident(client)
    answer()
    const { body } = await client.post(`/monitors/${before.id}/check`, {})
    assert.equal(body.state, 'UP')
  })

  test('a check that a shutdown aborted is inconclusive, and is repeated after the start', async () => {
    await using workspace = await migratedWorkspace(engine)
    await using target = await startHttpTarget()
    const clock = new HandClock()
    const options = { ...workspace.storage, env: metricsEnv, clock }
    const first = await startTestServer(engine, options)
    const answer = target.hold()
    const visited = target.visited()
    const before = await createMonitor(first.client(), smallest('HTTP', { url: target.url }))
    await visited
    await first.stop()
    answer()
    await using second = await startTestServer(engine, options)
    const client = second.client()
    assert.deepEqual(await current(client, before.id), before)
    await expectNoIncident(client)
    clock.advance(15_000)
    await eventually(async () => assert.equal((await current(client, before.id)).state, 'UP'))
    await expectNoIncident(client)
    const states = (await resultsOf(second, before.id)).map(({ state }) => state)
    assert.deepEqual(states, ['INCONCLUSIVE', 'UP'])
  })
})
