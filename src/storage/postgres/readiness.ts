import type { Availability } from './availability.ts'
import { messageOf } from './connector.ts'
import { isDiskFull } from './failures.ts'

const PROBE_MS = 2_000
/** Needs new space on the disk of the database, unlike an update of an existing row. Nothing remains of it. */
const TAKE_SPACE =
  "create temporary table pharos_space on commit drop as select repeat('x', 1500) as x from generate_series(1, 500)"

/** Whether the database can be used for writing. */
export function watchReadiness(availability: Availability) {
  let fault: string | undefined
  let probedAt = Number.NEGATIVE_INFINITY

  /** A full disk refuses most writes, but not all: it counts until new space can be taken. */
  async function probeSpace(): Promise<void> {
    if (performance.now() - probedAt < PROBE_MS) return
    probedAt = performance.now()
    try {
      await availability.probe(TAKE_SPACE)
      fault = undefined
    } catch (error) {
      fault = messageOf(error)
    }
  }

  return {
    /** Remembers errors that concern all writes. */
    note(error: unknown): void {
      if (isDiskFull(error)) fault = messageOf(error)
    },
    async check(isThorough = false): Promise<void> {
      await availability.check()
      if (isThorough) probedAt = Number.NEGATIVE_INFINITY
      if (isThorough || fault !== undefined) await probeSpace()
      if (fault !== undefined) throw new Error(`The database cannot save changes: ${fault}`)
    },
  }
}
