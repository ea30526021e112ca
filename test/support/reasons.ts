import type { Sample } from '../../src/contract/probe.ts'
import { englishText } from '../../src/reasons/english.ts'
import { isReason, type Reason, reason } from '../../src/reasons/reason.ts'

/** The same with sentences in place of reasons. */
export type InEnglish<T> = T extends Reason
  ? string
  : T extends readonly (infer Item)[]
    ? readonly InEnglish<Item>[]
    : T extends object
      ? { readonly [K in keyof T]: InEnglish<T[K]> }
      : T

export type ShownSample = InEnglish<Sample>

export function inEnglish<T>(value: T): InEnglish<T> {
  return shown(value) as InEnglish<T>
}

/** A sample with the sentences that the API has. */
export async function shownSample(sample: Sample | Promise<Sample>): Promise<ShownSample> {
  return inEnglish(await sample)
}

/** A reason that is no more than its words. */
export function words(text: string): Reason {
  return reason('text', { text })
}

function shown(value: unknown): unknown {
  if (isReason(value)) return englishText(value)
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shown(member)]))
}
