import type { Sealer } from '../../lib/seal.ts'

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
  const link = (purpose: LinkPurpose, text: string, context: string): string =>
    `${baseUrl}${LINKS_PATH}/${purpose}/${urlSafe(sealer.seal(text, context))}`
  return {
    confirmUrl: (subject, until) => link('confirm', `${subjectText(subject)} ${until}`, CONFIRM),
    unsubscribeUrl: (subject) => link('unsubscribe', subjectText(subject), UNSUBSCRIBE),
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

function subjectText({ orgId, pageId, id }: LinkSubject): string {
  return `${orgId} ${pageId} ${id}`
}

function parseSubject([orgId, pageId, id]: readonly string[]): LinkSubject | undefined {
  return orgId === undefined || pageId === undefined || id === undefined ? undefined : { orgId, pageId, id }
}

function openToken(token: string, sealer: Sealer, context: string): readonly string[] {
  try {
    return sealer.open(token.replaceAll('-', '+').replaceAll('_', '/'), context).split(' ')
  } catch {
    return []
  }
}

function urlSafe(sealed: string): string {
  return sealed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
