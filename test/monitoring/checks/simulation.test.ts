import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HOUR_MS } from '../../../src/lib/clock.ts'
import { Dice } from './simulation/dice.ts'
import { inspectHistory } from './simulation/inspect.ts'
import { Maintainers } from './simulation/maintainers.ts'
import { daysAround, Store } from './simulation/store.ts'
import { Users } from './simulation/users.ts'
import { World } from './simulation/world.ts'

/**
 * Scheduler, judge, incidents, accounts and maintenance with an injected clock, chance and network, on the real schema in memory.
 *   SIM_SEED=17 node --test test/checks/simulation.test.ts      one seed, with all that happened in it
 *   SIM_SEEDS=100000 node --test test/checks/simulation.test.ts more of them; SIM_FROM says where to begin
 */
const only = process.env.SIM_SEED
const count = Number(process.env.SIM_SEEDS ?? 2_000)
const from = Number(process.env.SIM_FROM ?? 1)

const MIDNIGHT = Date.UTC(2025, 0, 5)
const STEPS = 100
const store = new Store(daysAround(MIDNIGHT))

before(() => store.open())
after(() => store.close())

test('whatever nodes, users and targets do, the engine keeps its word', async (t) => {
  let landed = 0
  const seeds = only === undefined ? Array.from({ length: count }, (_, i) => from + i) : [Number(only)]
  for (const seed of seeds) landed += await simulate(seed)
  t.diagnostic(`${seeds.length} seeds, ${landed} results landed`)
  if (seeds.length >= 100) assert.ok(landed / seeds.length > 10, 'the simulation has come to a standstill')
})

test('a seed gives the same history every time', async () => {
  const traces: (readonly string[])[] = []
  for (let i = 0; i < 2; i += 1) traces.push((await lived(7)).world.trace)
  assert.deepEqual(traces[0], traces[1])
})

async function simulate(seed: number): Promise<number> {
  const { world, error } = await lived(seed)
  if (only !== undefined) process.stdout.write(`${told(world.trace)}\n`)
  if (error === undefined) return world.landed
  const story = told(world.trace.slice(-40))
  const replay = `SIM_SEED=${seed} node --test test/checks/simulation.test.ts`
  throw new Error(`seed ${seed}: ${(error as Error).message}\nReplay it with: ${replay}\n${story}`, { cause: error })
}

/** Lives through one seed; an error that ended it is handed back, with the world as it was then. */
async function lived(seed: number): Promise<{ world: World; error?: unknown }> {
  store.wipe()
  const dice = new Dice(seed)
  const world = new World(store, dice, MIDNIGHT - dice.between(0, 3 * HOUR_MS), dice.between(1, 3))
  const users = new Users(world)
  const maintainers = new Maintainers(world)
  world.meddle = (monitor) => users.actOn(monitor)
  const hasty = dice.pick([10_000, 60_000, 600_000])
  const again = (most: number, deed: () => void): void =>
    world.after(dice.between(0, most), () => {
      deed()
      again(most, deed)
    })
  again(hasty, () => users.act())
  again(hasty * 3, () => turn(world))
  again(hasty * 5, () => maintainers.act())
  again(hasty * 12, () => world.kill())
  again(hasty * 15, () => world.stall())
  try {
    for (let step = 0; step < STEPS; step += 1) await world.step()
    for (const monitor of world.monitors.values()) inspectHistory(store, monitor)
    return { world }
  } catch (error) {
    return { world, error }
  }
}

/** A target changes its mind. */
function turn({ conditions, dice }: World): void {
  if (conditions.size > 0) conditions.set(dice.pick([...conditions.keys()]), dice.pick(['up', 'slow', 'down', 'murky']))
}

function told(trace: readonly string[]): string {
  return trace.map((line) => line.replace(/^\d+/, (ms) => new Date(Number(ms)).toISOString())).join('\n')
}
