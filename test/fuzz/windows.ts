import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Body, Model, Wanted } from './model.ts'
import { places } from './page-bodies.ts'
import type { Described } from './schema.ts'
import { type JsonText, sound } from './values.ts'

/** Few enough that they are met again and again. */
const WINDOWS = 4

const times = { startsAt: '2031-05-01T10:00:00.000Z', endsAt: '2031-05-01T11:30:00.000Z' }

const json = (value: unknown): JsonText => JSON.stringify(value)
const one = (...values: readonly unknown[]): fc.Arbitrary<JsonText> => fc.constantFrom(...values.map(json))

/** What a window's fields must keep to beyond their schemas. */
const rules: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {
  startsAt: one(times.startsAt, '2020-02-29T23:00:00.000Z'),
  timezone: one('UTC', 'Europe/Berlin', 'Asia/Calcutta'),
  // None at all would come back as the day of the start.
  daysOfWeek: fc.subarray([1, 3, 7], { minLength: 1 }).map(json),
  daysOfMonth: fc.subarray([-1, 1, 15], { minLength: 1 }).map(json),
  recurrenceEndsAt: one(null, '2090-01-01T00:00:00.000Z'),
  monitorIds: places('monitor', 1).map(json),
  statusPageIds: places('page', 0).map(json),
}

/** The end follows from the start, so that there is time between them. */
function withEnd(body: JsonText): JsonText {
  const window = JSON.parse(body)
  return json({ ...window, endsAt: new Date(Date.parse(window.startsAt) + 5_400_000).toISOString() })
}

export const windowBodies: Readonly<Record<string, (operation: Described) => fc.Arbitrary<JsonText>>> = {
  createMaintenanceWindow: ({ body = {} }) => sound(body, rules).map(withEnd),
  updateMaintenanceWindow: ({ body = {} }) => sound(body, rules).map(withEnd),
}

/** What a lane knows of its maintenance windows. */
export class Windows implements Model {
  readonly #ids: string[] = []
  readonly live = { '/maintenance-windows': 0 }

  wanted(): Wanted | undefined {
    if (this.#ids.length >= WINDOWS) return undefined
    const body = json({ name: 'stock', ...times, allMonitors: true })
    return { operation: 'createMaintenanceWindow', path: '/maintenance-windows', body }
  }

  target({ path }: Described, nth: number): string | undefined {
    return path.includes('{maintenanceId}') ? this.#ids[nth % this.#ids.length] : undefined
  }

  refusal(): undefined {
    return undefined
  }

  follow(operation: string, id: string | undefined, body: Body): void {
    if (operation === 'createMaintenanceWindow') {
      this.live['/maintenance-windows'] += 1
      this.#ids.push(body.id)
      if (this.#ids.length > 3 * WINDOWS) this.#ids.splice(0, 1)
    }
    if (id === undefined || !this.#ids.includes(id)) return
    if (operation === 'deleteMaintenanceWindow') {
      assert.deepEqual(body, { data: { id } })
      this.#ids.splice(this.#ids.indexOf(id), 1)
      this.live['/maintenance-windows'] -= 1
    } else assert.equal(body.id, id)
  }
}
