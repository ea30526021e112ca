/**
 * Messages between the main thread and a probe thread.
 *
 * To the thread: a JSON array of jobs, or an array of job ids to cancel. From the thread: a JSON array of results. JSON
 * text is used because copying one string costs less than structured cloning of many small objects.
 */
import type { ProbeTarget, Sample } from '../../contract/probe.ts'

/** A job carries its target in full the first time; later it names the target by the slot where the thread keeps it. */
export type ProbeJob =
  | readonly [id: number, type: string, slot: number]
  | readonly [id: number, type: string, slot: number | null, target: ProbeTarget]
  | readonly [id: number, type: string, slot: number | null, target: ProbeTarget | null, knownDetails: string | null]
  | readonly [
      id: number,
      type: string,
      slot: number | null,
      target: ProbeTarget | null,
      knownDetails: string | null,
      isManual: 0 | 1,
      knownPage?: string,
    ]

export type ProbeResult = readonly [id: number, sample: Sample]

const MAX_SLOTS = 20_000
/** Longer targets (those with large request bodies) are sent in full each time, which bounds the thread's memory. */
const MAX_KEPT_CHARS = 2_000

/** Main-thread side. Relies on targets being the same objects from check to check, as the settings cache provides. */
export class JobEncoder {
  readonly #slots = new Map<ProbeTarget, number>()

  /** The job as JSON. It must be sent, and in order: later jobs may refer to its slot. */
  encode(
    id: number,
    type: string,
    target: ProbeTarget,
    knownDetails?: string,
    isManual = false,
    knownPage?: string,
  ): string {
    const page = knownPage === undefined ? '' : `,${JSON.stringify(knownPage)}`
    const manual = isManual ? `,1${page}` : page === '' ? '' : `,0${page}`
    const details =
      knownDetails === undefined && manual === '' ? '' : `,${JSON.stringify(knownDetails ?? null)}${manual}`
    const known = this.#slots.get(target)
    if (known !== undefined) return `[${id},"${type}",${known}${details === '' ? '' : `,null${details}`}]`
    const text = JSON.stringify(target)
    const slot = text.length > MAX_KEPT_CHARS ? null : this.#takeSlot(target)
    return `[${id},"${type}",${slot},${text}${details}]`
  }

  /** A free slot, or that of the oldest target. */
  #takeSlot(target: ProbeTarget): number {
    let slot = this.#slots.size
    if (slot >= MAX_SLOTS) {
      const [oldest, oldestSlot] = this.#slots.entries().next().value as [ProbeTarget, number]
      this.#slots.delete(oldest)
      slot = oldestSlot
    }
    this.#slots.set(target, slot)
    return slot
  }
}

/** Probe-thread side. Decode jobs in the order they arrive: a slot may be reused for another target later. */
export class JobDecoder {
  readonly #targets: ProbeTarget[] = []

  targetOf([, , slot, sent, knownDetails = null, isManual, knownPage]: ProbeJob): ProbeTarget {
    const target = sent ?? (this.#targets[slot as number] as ProbeTarget)
    if (slot !== null) this.#targets[slot] = target
    if (knownDetails === null && isManual === undefined) return target
    return {
      ...target,
      ...(knownDetails !== null && { knownDetails }),
      ...(isManual === 1 && { isManual: true }),
      ...(knownPage !== undefined && { knownPage }),
    }
  }
}
