import { englishText } from '../reasons/english.ts'
import type { Reason } from '../reasons/reason.ts'
import { reasonIn } from '../reasons/stored.ts'

let isForDashboard = false

/** Left out of all JSON but that of the dashboard. */
class ForDashboard {
  readonly #reason: Reason

  constructor(reason: Reason) {
    this.#reason = reason
  }

  toJSON(): Reason | undefined {
    return isForDashboard ? this.#reason : undefined
  }
}

/** An answer as the dashboard's API sends it, with the codes of reasons. */
export function dashboardJson(answer: unknown): string {
  isForDashboard = true
  try {
    return JSON.stringify(answer)
  } finally {
    isForDashboard = false
  }
}

/** A field with an English sentence, and for the dashboard its code and values in `<name>Reason`. `stored` may be a text of a row. */
export function reasonField<Name extends string, R extends Reason | string | null>(
  name: Name,
  stored: R,
  maxCharacters?: number,
): Readonly<Record<Name, R extends null ? null : string>> {
  const fields: Record<string, unknown> = { [name]: null }
  if (stored !== null) {
    const reason = reasonIn(stored)
    fields[name] = englishText(reason).slice(0, maxCharacters)
    fields[`${name}Reason`] = new ForDashboard(reason)
  }
  return fields as never
}
