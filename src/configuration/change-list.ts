import { Json } from '../lib/json.ts'
import type { Fields } from './kinds/fields.ts'
import type { PlannedChange } from './plan.ts'

const counted = { CREATE: 'create', UPDATE: 'update', DELETE: 'delete', RELEASE: 'release', NONE: 'none' } as const

/** The changes and the summary of an answer. The changes are kept as text: as objects they take several times the memory. */
export class ChangeList {
  readonly #summary = { create: 0, update: 0, delete: 0, release: 0, none: 0 }
  readonly #texts: string[] = []

  /** `more`: what a change has only once it was made. */
  add(changes: readonly PlannedChange[], more: (planned: PlannedChange) => Fields = () => ({})): void {
    for (const { change } of changes) this.#summary[counted[change.action]] += 1
    const texts = changes.map((planned) => JSON.stringify({ ...planned.change, ...more(planned) }))
    if (texts.length > 0) this.#texts.push(texts.join(','))
  }

  /** Counts resources that stay as they are and are not listed. */
  countSame(count: number): void {
    this.#summary.none += count
  }

  json<T>(first: object = {}): Json<T> {
    const head = Object.entries(first).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)},`)
    const parts = this.#texts.map((text, i) => (i === 0 ? text : `,${text}`))
    return new Json(['{', ...head, '"changes":[', ...parts, `],"summary":${JSON.stringify(this.#summary)}}`])
  }
}
