import type { Sealer } from '../../lib/seal.ts'
import { openToken, sealToken } from '../../lib/sealed-tokens.ts'

/** Tokens in links are sealed with the key of the installation. The context keeps a token from being used for the other purpose. */
const CONFIRM = 'subscriber confirms'
const UNSUBSCRIBE = 'subscriber unsubscribes'

/** Contains the page because the answer to a repeated unsubscribe is in the page's language, and the subscriber is gone by then. */
export interface LinkSubject {
  readonly orgId: string
  readonly pageId: string
  readonly id: string
}

export interface SubscriberLinks {
  confirmUrl(subject: LinkSubject, until: number): string
  unsubscribeUrl(subject: LinkSubject): string
}

export type LinkPurpose = 'confirm' | 'unsubscribe'

export const LINKS_PATH = '/subscriptions'

export function linksOf(sealer: Sealer, baseUrl: string): SubscriberLinks {
  const link = (purpose: LinkPurpose, fields: readonly (string | number)[], context: string): string =>
    `${baseUrl}${LINKS_PATH}/${purpose}/${sealToken(sealer, fields, context)}`
  return {
    confirmUrl: (subject, until) => link('confirm', [...fieldsOf(subject), until], CONFIRM),
    unsubscribeUrl: (subject) => link('unsubscribe', fieldsOf(subject), UNSUBSCRIBE),
  }
}

/** Undefined if the token is invalid or has expired. */
export function openConfirmToken(token: string, sealer: Sealer, now: number): LinkSubject | undefined {
  const [until, ...fields] = openToken(token, sealer, CONFIRM).toReversed()
  return Number(until) > now ? parseSubject(fields.toReversed()) : undefined
}

/** Never expires: e-mails are kept for years. */
export function openUnsubscribeToken(token: string, sealer: Sealer): LinkSubject | undefined {
  return parseSubject(openToken(token, sealer, UNSUBSCRIBE))
}

function fieldsOf({ orgId, pageId, id }: LinkSubject): readonly string[] {
  return [orgId, pageId, id]
}

function parseSubject([orgId, pageId, id]: readonly string[]): LinkSubject | undefined {
  return orgId === undefined || pageId === undefined || id === undefined ? undefined : { orgId, pageId, id }
}
