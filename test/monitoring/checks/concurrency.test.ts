import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import type { Sample } from '../../../src/contract/probe.ts'
import type { Claim } from '../../../src/monitoring/checks/claim.ts'
import { heartbeatSample } from '../../../src/monitoring/checks/heartbeat.ts'
import { saveResult } from '../../../src/monitoring/checks/save-results.ts'
import { execute, q } from '../../../src/storage/query.ts'
import { Dice } from '../../support/dice.ts'
import { forEachEngine } from '../../support/engines.ts'
import { words } from '../../support/reasons.ts'
import { type Client, startTestServer, type TestServer } from '../../support/server.ts'
import { ConsistencyChecks } from './consistency.ts'
import { assignedChecks } from './sources.ts'

const MONITORS = 12
/** The test ends when this many results were saved. */
const RESULTS = 150

/** Nodes and users that act concurrently on the same few monitors. */
forEachEngine('concurrent nodes and users', (engine) => {
  let server: TestServer
  let client: Client

  before(async () => {
    // Without a checker: the test makes the checks, with random samples.
    server = await startTestServer(engine, { env: { PHAROS_ROLES: 'api' } })
    client = server.client()
  })
  after(() => server.stop())

  const checksOf = (name: string) => assignedChecks(server.running.database, name)

  const sampleOf = (claim: Claim, dice: Dice): Sample => {
    if (claim.settings.type === 'CRON') return heartbeatSample(claim, Date.now())
    if (dice.chance(0.1)) return { outcome: 'inconclusive', reason: words('Out of sockets') }
    if (dice.chance(0.6)) return { outcome: 'success', responseMs: dice.between(1, 900) }
    return { outcome: 'failure', code: 'CONNECT', error: words('refused'), kind: 'connection' }
  }

  test('colliding claims, results, heartbeats and changes leave nothing duplicated, lost or half done', async () => {
    const { database } = server.running
    const monitors: { id: string; heartbeatUrl: string | null }[] = []
    for (let i = 0; i < MONITORS; i += 1) {
      const type = i % 4 === 0 ? 'CRON' : 'HTTP'
      const body = { name: `m${i}`, type, url: 'http://shop.example/', expectedPeriodSec: 60, degradedThresholdMs: 500 }
      monitors.push((await client.post('/monitors', body)).body)
    }
    let saved = 0

    const node = async (name: string, dice: Dice): Promise<void> => {
      const checks = await checksOf(name)
      while (saved < RESULTS) {
        // Ten minutes ahead, so that monitors are due again at once.
        const { claims } = await checks.takeDue(Date.now() + 600_000, dice.between(1, 4))
        await setTimeout(dice.between(0, 5))
        for (const claim of claims) {
          const sample = sampleOf(claim, dice)
          const outcome = await database.write(() => saveResult({ claim, sample, at: Date.now() }, ''))
          checks.settle(claim, outcome, Date.now())
          if (typeof outcome === 'object') saved += 1
        }
      }
    }

    const user = async (dice: Dice): Promise<void> => {
      while (saved < RESULTS) {
        const { id, heartbeatUrl } = dice.pick(monitors)
        const path = `/monitors/${id}`
        if (heartbeatUrl !== null && dice.chance(0.5)) {
          const answer = await fetch(`${heartbeatUrl}${dice.pick(['', '/start', '/fail', '/log', '/1'])}`)
          assert.equal(answer.status, 200)
          continue
        }
        const answer = await dice.pick([
          () => client.post(`${path}/pause`, {}),
          () => client.post(`${path}/resume`, {}),
          () => client.patch(path, { intervalSeconds: dice.between(30, 300) }),
          () => client.patch(path, { name: `renamed ${dice.between(0, 9)}` }),
        ])()
        assert.equal(answer.status, 200, JSON.stringify(answer.body))
      }
    }

    await Promise.all([
      ...Array.from({ length: 4 }, (_, i) => node(`node-${i}`, new Dice(i))),
      ...Array.from({ length: 4 }, (_, i) => user(new Dice(100 + i))),
    ])
    const consistency = new ConsistencyChecks(database)
    await consistency.expectOneIncidentEach()
    await consistency.expectRollupsEqualResults(MONITORS)
  })

  test('two nodes never get the same check', async () => {
    const { database } = server.running
    await database.write(() =>
      execute(q.updateTable('monitor_states').set({ state: 'UP', next_check_at: 1, claimed_by: null })),
    )
    const nodes = await Promise.all(Array.from({ length: 20 }, (_, i) => checksOf(`node-${i}`)))
    const taken = await Promise.all(nodes.map((node) => node.takeDue(Date.now(), 100)))
    const nums = taken.flatMap(({ claims }) => claims).map(({ num }) => num)
    assert.equal(new Set(nums).size, nums.length)
    assert.equal(nums.length, MONITORS)
  })
})
