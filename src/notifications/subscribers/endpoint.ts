import type { Sealer } from '../../lib/seal.ts'
import type { AddressPolicy } from '../../outbound/address-policy.ts'
import { webhookUrlProblem } from '../../outbound/urls.ts'
import type { SubscriberKind } from '../../storage/schema/subscribers.ts'

export type EndpointKind = Exclude<SubscriberKind, 'EMAIL'>

/** A URL that a visitor wants updates to be sent to. It is a secret: who knows it can post to it. */
export interface Endpoint {
  readonly kind: EndpointKind
  readonly url: string
}

const MAX_LENGTH = 1_000
const SLACK_HOST = 'hooks.slack.com'

/**
 * Undefined if the URL is not permitted. Slack URLs must be at hooks.slack.com, unless the operator permits private addresses.
 * A Slack URL that was entered as a webhook becomes SLACK, because Slack does not accept other bodies.
 */
export function parseEndpoint(kind: EndpointKind, text: string, policy: AddressPolicy): Endpoint | undefined {
  const given = text.trim()
  if (given.length > MAX_LENGTH || webhookUrlProblem(given, policy) !== null) return undefined
  const url = new URL(given)
  url.hash = ''
  const isSlack = url.origin === `https://${SLACK_HOST}`
  if (kind === 'SLACK' && !isSlack && policy === 'deny') return undefined
  // Slack ignores the query, so a changed one would count as another address.
  if (isSlack) url.search = ''
  return { kind: isSlack ? 'SLACK' : kind, url: url.href }
}

/** Identifies an endpoint without storing its URL: a keyed hash. */
export function endpointKey({ kind, url }: Endpoint, sealer: Sealer): string {
  return `${kind.toLowerCase()}:${sealer.keyedHash(url, 'subscriber endpoint')}`
}

const contextOf = (orgId: string, id: string): string => `subscriber ${orgId} ${id}`

export function sealUrl(url: string, { orgId, id }: { orgId: string; id: string }, sealer: Sealer): string {
  return sealer.seal(url, contextOf(orgId, id))
}

export function openUrl(sealed: string, { orgId, id }: { orgId: string; id: string }, sealer: Sealer): string {
  return sealer.open(sealed, contextOf(orgId, id))
}
