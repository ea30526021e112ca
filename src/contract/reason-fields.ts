import { englishText } from '../reasons/english.ts'
import type { Reason } from '../reasons/reason.ts'
import { reasonIn } from '../reasons/stored.ts'
import type { Caller } from '../storage/database.ts'

let isForDashboard = false

/** Left out of all JSON but that of the dashboard. */
class ForDashboard {
  readonly #value: Reason | readonly Reason[]

  constructor(value: Reason | readonly Reason[]) {
    this.#value = value
  }

  toJSON(): Reason | readonly Reason[] | undefined {
    return isForDashboard ? this.#value : undefined
  }
}

/** The JSON of an answer: for API keys as the contract says, for users of the dashboard with the codes of reasons. */
export function toJson(answer: unknown, caller: Caller | undefined): string {
  if (caller !== undefined && 'keyId' in caller) return JSON.stringify(answer)
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

/** The same of a list of sentences. */
export function reasonsField<Name extends string>(
  name: Name,
  stored: readonly (Reason | string)[],
): Readonly<Record<Name, string[]>> {
  const reasons = stored.map(reasonIn)
  return { [name]: reasons.map(englishText), [`${name}Reasons`]: new ForDashboard(reasons) } as never
}
