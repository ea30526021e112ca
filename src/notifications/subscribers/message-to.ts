import type { Sealer } from '../../lib/seal.ts'
import type { Medium } from '../../storage/schema/deliveries.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'
import type { Message } from '../deliveries/adapter.ts'
import { openUrl } from './endpoint.ts'
import type { Recipient, SubscriberMessage } from './types.ts'

export function mediumOf(kind: SubscriberKind): Medium {
  return kind === 'EMAIL' ? 'EMAIL' : 'HTTP'
}

/** Slack answers 404 only if the webhook was deleted. A web server may do so during a deployment. */
const goneStatuses = { EMAIL: [], WEBHOOK: [410], SLACK: [404, 410] } as const

export function messageTo(to: Recipient, content: SubscriberMessage, sealer: Sealer): Message {
  if ('email' in content) return content
  return { url: urlOf(to, sealer), body: content.body, goneStatuses: goneStatuses[to.kind] }
}

function urlOf({ orgId, id, sealedUrl }: Recipient, sealer: Sealer): string | undefined {
  try {
    return sealedUrl === null ? undefined : openUrl(sealedUrl, { orgId, id }, sealer)
  } catch {
    return undefined
  }
}
