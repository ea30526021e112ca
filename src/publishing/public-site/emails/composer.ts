import type { Sealer } from '../../../lib/seal.ts'
import { linksOf } from '../../../notifications/subscribers/links.ts'
import type {
  MessageComposer,
  Notice,
  PendingSubscriber,
  Recipient,
  SubscriberMessage,
} from '../../../notifications/subscribers/types.ts'
import type { DomainRules } from '../../custom-domains/served.ts'
import { contentOf, type NoticeContent, type PageContext, readContext } from './content.ts'
import { confirmationEmail, noticeEmail } from './email.ts'
import { slackConfirmation, slackNotice, webhookConfirmation, webhookNotice } from './endpoint-messages.ts'

/** Composes the messages to subscribers in the language and time zone of the page. */
export function createMessageComposer(
  sealer: Sealer,
  baseUrl: () => string,
  requiresDomainProof: boolean,
): MessageComposer {
  const rules = (): DomainRules => ({ baseUrl: baseUrl(), requiresDomainProof })
  return {
    *notice(notice) {
      const { orgId, pageId, topic } = notice
      const pageKey = { orgId, pageId }
      const context = yield* readContext(pageKey, rules())
      const content = context && (yield* contentOf(pageKey, topic, context))
      if (context === undefined || content === undefined) return undefined
      const { unsubscribeUrl } = linksOf(sealer, baseUrl())
      const messageFor = noticeMessages(notice, content, context, new URL(baseUrl()).hostname)
      return (to) => messageFor(to, unsubscribeUrl({ orgId, pageId, id: to.id }))
    },
    *confirmation(subscriber) {
      const context = yield* readContext(subscriber, rules())
      const link = linksOf(sealer, baseUrl()).confirmUrl(subscriber, subscriber.confirmBy)
      return context && confirmationMessage(subscriber, context, link)
    },
  }
}

function noticeMessages(
  { id, pageId, createdAt }: Notice,
  content: NoticeContent,
  context: PageContext,
  hostname: string,
): (to: Recipient, unsubscribe: string) => SubscriberMessage {
  const emailWith = noticeEmail(content, context)
  return (to, unsubscribe) => {
    const messageId = `${id}.${to.id}`
    if (to.kind === 'SLACK') return { body: slackNotice(content, context, unsubscribe) }
    if (to.kind === 'WEBHOOK') {
      return { body: webhookNotice(content, context, { id: messageId, sentAt: createdAt, unsubscribe }) }
    }
    const headers = {
      'List-Id': `<${pageId}.${hostname}>`,
      'List-Unsubscribe': `<${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      Precedence: 'bulk',
    }
    return { email: { to: to.address, id: messageId, ...emailWith(unsubscribe), headers } }
  }
}

function confirmationMessage(subscriber: PendingSubscriber, context: PageContext, link: string): SubscriberMessage {
  if (subscriber.kind === 'SLACK') return { body: slackConfirmation(context, link) }
  if (subscriber.kind === 'WEBHOOK') return { body: webhookConfirmation(subscriber, context, link) }
  return { email: confirmationEmail(subscriber, context, link) }
}
