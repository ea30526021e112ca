import type { Fault } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { ALL_EVENTS } from '../../events/emit.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'

type Fields = Readonly<Record<string, unknown>>

/** Checks that a schema cannot express. */
export function endpointFaults({ url, eventTypes }: Fields, { webhooks }: Installation): Fault[] {
  const faults: Fault[] = []
  const message = typeof url === 'string' ? webhookUrlProblem(url, webhooks.policy) : null
  if (message !== null) faults.push({ path: 'url', message })
  const named = Array.isArray(eventTypes) ? typesFault(eventTypes) : null
  if (named !== null) faults.push({ path: 'eventTypes', message: named })
  return faults
}

/** Not in the schema: `uniqueItems` compares every item deeply, however deep the input is nested. */
function typesFault(types: readonly unknown[]): string | null {
  if (new Set(types).size < types.length) return 'must not contain duplicates'
  return types.length > 1 && types.includes(ALL_EVENTS) ? 'must be ["*"] alone, or names without "*"' : null
}
