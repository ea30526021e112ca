import type { Sealer } from '../../lib/seal.ts'

/**
 * Links that stand in mails. Each is sealed with the key of the installation for one purpose, so that nobody can make one up,
 * or use one for something else; a key that is replaced still opens what it sealed, as long as it is configured.
 */
const CONFIRM = 'subscriber confirms'
const UNSUBSCRIBE = 'subscriber unsubscribes'

/** A subscriber, and the page: who has unsubscribed is gone, and still wants to be answered in the page's language. */
export interface LinkSubject {
  readonly orgId: string
  readonly pageId: string
  readonly id: string
}

export interface SubscriberLinks {
  confirmUrl(holder: LinkSubject, until: number): string
  unsubscribeUrl(holder: LinkSubject): string
}

export type LinkPurpose = 'confirm' | 'unsubscribe'

export const LINKS_PATH = '/subscriptions'

export function linksOf(sealer: Sealer, baseUrl: string): SubscriberLinks {
  const link = (purpose: LinkPurpose, text: string, context: string): string =>
    `${baseUrl}${LINKS_PATH}/${purpose}/${urlSafe(sealer.seal(text, context))}`
  return {
    confirmUrl: (holder, until) => link('confirm', `${namesOf(holder)} ${until}`, CONFIRM),
    unsubscribeUrl: (holder) => link('unsubscribe', namesOf(holder), UNSUBSCRIBE),
  }
}

/** Who holds the link that asks for a confirmation; undefined where it is not ours, or its time is over. */
export function openConfirmToken(token: string, sealer: Sealer, now: number): LinkSubject | undefined {
  const [until, ...names] = opened(token, sealer, CONFIRM).toReversed()
  return Number(until) > now ? holderIn(names.toReversed()) : undefined
}

/** Links to unsubscribe never end: mails are kept for years. */
export function openUnsubscribeToken(token: string, sealer: Sealer): LinkSubject | undefined {
  return holderIn(opened(token, sealer, UNSUBSCRIBE))
}

function namesOf({ orgId, pageId, id }: LinkSubject): string {
  return `${orgId} ${pageId} ${id}`
}

function holderIn([orgId, pageId, id]: readonly string[]): LinkSubject | undefined {
  return orgId === undefined || pageId === undefined || id === undefined ? undefined : { orgId, pageId, id }
}

function opened(token: string, sealer: Sealer, context: string): readonly string[] {
  try {
    return sealer.open(token.replaceAll('-', '+').replaceAll('_', '/'), context).split(' ')
  } catch {
    return []
  }
}

function urlSafe(sealed: string): string {
  return sealed.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
