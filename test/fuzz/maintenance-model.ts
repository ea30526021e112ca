import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { Body, Model, NextRequest } from './model.ts'
import { idPlaceholders } from './page-bodies.ts'
import type { DescribedOperation } from './schema.ts'
import { type JsonText, validJson } from './values.ts'

/** Few, so that cases use the same ones repeatedly. */
const WINDOWS = 4

const times = { startsAt: '2031-05-01T10:00:00.000Z', endsAt: '2031-05-01T11:30:00.000Z' }

const json = (value: unknown): JsonText => JSON.stringify(value)
const one = (...values: readonly unknown[]): fc.Arbitrary<JsonText> => fc.constantFrom(...values.map(json))

/** The rules of a window's fields beyond their schemas. */
const rules: Readonly<Record<string, fc.Arbitrary<JsonText>>> = {
  startsAt: one(times.startsAt, '2020-02-29T23:00:00.000Z'),
  timezone: one('UTC', 'Europe/Berlin', 'Asia/Calcutta'),
  // An empty list is returned as the day of the start.
  daysOfWeek: fc.subarray([1, 3, 7], { minLength: 1 }).map(json),
  daysOfMonth: fc.subarray([-1, 1, 15], { minLength: 1 }).map(json),
  recurrenceEndsAt: one(null, '2090-01-01T00:00:00.000Z'),
  monitorIds: idPlaceholders('monitor', 1).map(json),
  statusPageIds: idPlaceholders('page', 0).map(json),
}

/** The end is computed from the start, so that it is later. */
function withEnd(body: JsonText): JsonText {
  const window = JSON.parse(body)
  return json({ ...window, endsAt: new Date(Date.parse(window.startsAt) + 5_400_000).toISOString() })
}

export const windowBodies: Readonly<Record<string, (operation: DescribedOperation) => fc.Arbitrary<JsonText>>> = {
  createMaintenanceWindow: ({ body = {} }) => validJson(body, rules).map(withEnd),
  updateMaintenanceWindow: ({ body = {} }) => validJson(body, rules).map(withEnd),
}

/** The expected maintenance windows of a lane. */
export class MaintenanceModel implements Model {
  readonly #ids: string[] = []
  readonly live = { '/maintenance-windows': 0 }

  wanted(): NextRequest | undefined {
    if (this.#ids.length >= WINDOWS) return undefined
    const body = json({ name: 'stock', ...times, allMonitors: true })
    return { operation: 'createMaintenanceWindow', path: '/maintenance-windows', body }
  }

  target({ path }: DescribedOperation, nth: number): string | undefined {
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
