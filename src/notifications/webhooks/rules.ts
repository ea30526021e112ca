import type { Fault } from '../../contract/errors.ts'
import type { Installation } from '../../contract/operation.ts'
import { EVERYTHING } from '../../events/emit.ts'
import { webhookUrlFault } from '../../outbound/urls.ts'

type Fields = Readonly<Record<string, unknown>>

/** Faults of an endpoint that a schema cannot say. */
export function endpointFaults({ url, eventTypes }: Fields, { webhooks }: Installation): Fault[] {
  const faults: Fault[] = []
  const message = typeof url === 'string' ? webhookUrlFault(url, webhooks.policy) : null
  if (message !== null) faults.push({ path: 'url', message })
  const named = Array.isArray(eventTypes) ? typesFault(eventTypes) : null
  if (named !== null) faults.push({ path: 'eventTypes', message: named })
  return faults
}

/** Said here and not in the schema, whose `uniqueItems` looks into every item, however deep somebody has nested it. */
function typesFault(types: readonly unknown[]): string | null {
  if (new Set(types).size < types.length) return 'must not name anything twice'
  return types.length > 1 && types.includes(EVERYTHING) ? 'must be ["*"] alone, or names without "*"' : null
}
