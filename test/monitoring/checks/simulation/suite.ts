import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HOUR_MS } from '../../../../src/lib/clock.ts'
import { Dice } from '../../../support/dice.ts'
import { inspectHistory } from './inspect.ts'
import { SimulatedMaintenance } from './maintenance.ts'
import { Store } from './store.ts'
import { SimulatedUsers } from './users.ts'
import { World } from './world.ts'

const only = process.env.SIM_SEED

const MIDNIGHT = Date.UTC(2025, 0, 5)
const STEPS = 100
const store = new Store()

/**
 * Scheduler, judge, incidents, ledgers and maintenance with simulated clocks, networks and randomness, on the real schema
 * in memory. Nodes are killed, stopped and cut off, and their clocks drift and are set to wrong times.
 *   SIM_SEED=17 node --test test/monitoring/checks/simulation.test.ts       one seed, with its trace
 *   SIM_SEEDS=100000 node --test test/monitoring/checks/simulation.test.ts  more seeds, from SIM_FROM on
 */
export function simulateSeeds(first: number, last: number): void {
  const from = Number(process.env.SIM_FROM ?? first)
  const count = Number(process.env.SIM_SEEDS ?? last - first + 1)
  before(() => store.open())
  after(() => store.close())

  test('the engine matches the model, whatever nodes, users and targets do', async (t) => {
    let saved = 0
    const seeds = only === undefined ? Array.from({ length: count }, (_, i) => from + i) : [Number(only)]
    for (const seed of seeds) saved += await simulate(seed)
    t.diagnostic(`${seeds.length} seeds, ${saved} results saved`)
    if (seeds.length >= 50) assert.ok(saved / seeds.length > 10, 'the simulation saves results')
  })

  test('a seed gives the same history every time', async () => {
    const traces: (readonly string[])[] = []
    for (let i = 0; i < 2; i += 1) traces.push((await runSeed(7)).world.trace)
    assert.deepEqual(traces[0], traces[1])
  })
}

async function simulate(seed: number): Promise<number> {
  const { world, error } = await runSeed(seed)
  if (only !== undefined) process.stdout.write(`${readable(world.trace)}\n`)
  if (error === undefined) return world.saved
  const trace = readable(world.trace.slice(-40))
  const replay = `SIM_SEED=${seed} node --test test/monitoring/checks/simulation.test.ts`
  throw new Error(`seed ${seed}: ${(error as Error).message}\nReplay it with: ${replay}\n${trace}`, { cause: error })
}

/** Runs one seed. Returns the world, and the error that ended it if there was one. */
async function runSeed(seed: number): Promise<{ world: World; error?: unknown }> {
  store.wipe()
  const dice = new Dice(seed)
  const world = new World(store, dice, MIDNIGHT - dice.between(0, 3 * HOUR_MS), dice.between(1, 3))
  const users = new SimulatedUsers(world)
  const maintenance = new SimulatedMaintenance(world)
  world.interfere = (monitor) => users.actOn(monitor)
  const maxPauseMs = dice.pick([10_000, 60_000, 600_000])
  const again = (most: number, action: () => void): void =>
    world.after(dice.between(0, most), () => {
      action()
      again(most, action)
    })
  again(maxPauseMs, () => users.act())
  again(maxPauseMs * 3, () => changeCondition(world))
  again(maxPauseMs * 5, () => maintenance.act())
  again(maxPauseMs * 12, () => world.kill())
  again(maxPauseMs * 15, () => world.stall())
  again(maxPauseMs * 15, () => world.disconnect())
  again(maxPauseMs * 10, () => world.jump())
  try {
    for (let step = 0; step < STEPS; step += 1) await world.step()
    for (const monitor of world.monitors.values()) inspectHistory(store, monitor)
    return { world }
  } catch (error) {
    return { world, error }
  }
}

/** Changes the condition of a target. */
function changeCondition({ conditions, dice }: World): void {
  if (conditions.size > 0)
    conditions.set(dice.pick([...conditions.keys()]), dice.pick(['up', 'slow', 'down', 'inconclusive']))
}

function readable(trace: readonly string[]): string {
  return trace.map((line) => line.replace(/^\d+/, (ms) => new Date(Number(ms)).toISOString())).join('\n')
}
