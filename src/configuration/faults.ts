import { type Fault, MAX_DETAILS } from '../contract/errors.ts'

/** What is wrong in a document: the first fault of each place. */
export class Faults {
  readonly #byPath = new Map<string, Fault>()

  get all(): readonly Fault[] {
    return [...this.#byPath.values()]
  }

  /** An error lists no more. Reading stops then. */
  get isFull(): boolean {
    return this.#byPath.size > MAX_DETAILS
  }

  add(fault: Fault): void {
    if (!this.isFull && !this.#byPath.has(fault.path)) this.#byPath.set(fault.path, fault)
  }
}
