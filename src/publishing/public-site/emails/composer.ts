import type { Sealer } from '../../../lib/seal.ts'
import { oneLine } from '../../../lib/text.ts'
import { linksOf } from '../../../notifications/subscribers/links.ts'
import type {
  EmailComposer,
  Notice,
  NoticeTopic,
  PendingSubscriber,
  Recipient,
} from '../../../notifications/subscribers/types.ts'
import type { Email } from '../../../outbound/email.ts'
import { cleanName, type EmailSubject, subject, subjectWith } from '../../../outbound/email-subject.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { DomainRules } from '../../custom-domains/served.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml, stripControls } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { PageKey } from '../queries/pages.ts'
import { displayNamesOn, type PageInfo, pageInfoOf } from '../views/page-view.ts'
import { incidentWithUpdate, monitorsCoveredBy, publishedPageOf } from './queries.ts'

/** Names beyond this number are only counted. */
const MAX_NAMES = 20

/** The part of an email that is the same for all recipients. */
interface EmailContent {
  readonly subject: EmailSubject
  readonly title: string
  /** Status, impact, time. */
  readonly facts: readonly string[]
  /** What the author wrote, as plain text and as HTML. */
  readonly messages: readonly { readonly heading?: string; readonly text: string; readonly html: HtmlValue }[]
  readonly affected: string | null
  readonly link: string
  readonly linkText: string
}

interface PageContext {
  readonly page: PageInfo
  readonly t: Translator
  readonly names: ReadonlyMap<string, string>
}

/** Composes the emails to subscribers in the language and time zone of the page. */
export function createEmailComposer(
  sealer: Sealer,
  baseUrl: () => string,
  requiresDomainProof: boolean,
): EmailComposer {
  const rules = (): DomainRules => ({ baseUrl: baseUrl(), requiresDomainProof })
  return {
    *notice({ orgId, id, pageId, topic }: Notice) {
      const pageKey = { orgId, pageId }
      const context = yield* readContext(pageKey, rules())
      const content = context && (yield* contentOf(pageKey, topic, context))
      if (context === undefined || content === undefined) return undefined
      const unsubscribe = (to: Recipient): string => linksOf(sealer, baseUrl()).unsubscribeUrl({ ...to, pageId })
      const { hostname } = new URL(baseUrl())
      const bodyFor = composeBody(content, context)
      return (to: Recipient): Email => {
        const link = unsubscribe(to)
        const headers = {
          'List-Id': `<${pageId}.${hostname}>`,
          'List-Unsubscribe': `<${link}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          Precedence: 'bulk',
        }
        return { to: to.address, id: `${id}.${to.id}`, ...bodyFor(link), headers }
      }
    },
    *confirmation(subscriber: PendingSubscriber) {
      const context = yield* readContext(subscriber, rules())
      const link = linksOf(sealer, baseUrl()).confirmUrl(subscriber, subscriber.confirmBy)
      return context && confirmationEmail(subscriber, context, link)
    },
  }
}

function* readContext({ orgId, pageId }: PageKey, rules: DomainRules): DbWork<PageContext | undefined> {
  const pageKey = { orgId, pageId }
  const row = yield* publishedPageOf(pageKey, rules)
  const page = row && pageInfoOf(row, rules.baseUrl)
  if (row === undefined || page?.subscribersEnabled !== true) return undefined
  return { page, t: translatorFor(page.locale, page.timezone), names: displayNamesOn(row, yield* monitorsOf(pageKey)) }
}

function* contentOf(pageKey: PageKey, topic: NoticeTopic, context: PageContext): DbWork<EmailContent | undefined> {
  return topic.kind === 'incident'
    ? yield* incidentContent(pageKey, topic, context)
    : yield* maintenanceContent(pageKey, topic, context)
}

function* incidentContent(
  pageKey: PageKey,
  { publishedId, updateId }: Extract<NoticeTopic, { kind: 'incident' }>,
  { page, t, names }: PageContext,
): DbWork<EmailContent | undefined> {
  const found = yield* incidentWithUpdate(pageKey, publishedId, updateId)
  if (found === undefined) return undefined
  const { incident, update } = found
  const state = t.text(`incident_${update.status}`)
  const postmortem = updateId === null ? incident.postmortem : null
  return {
    subject: subject`[${page.name}] ${state}: ${incident.title}`,
    title: incident.title,
    facts: [state, t.text(`impact_${incident.impact}`), t.zonedMoment(update.published_at)],
    messages: [
      { text: update.message, html: markdown(update.message, 2) },
      ...(postmortem === null
        ? []
        : [{ heading: t.text('postmortem'), text: postmortem, html: markdown(postmortem, 2) }]),
    ],
    affected: affectedText(
      (JSON.parse(update.affected) as Affected[]).map(({ monitorId }) => monitorId),
      names,
      t,
    ),
    link: `${page.url}/incidents/${publishedId}`,
    linkText: t.text('mailDetails'),
  }
}

function* maintenanceContent(
  { orgId }: PageKey,
  topic: Extract<NoticeTopic, { kind: 'maintenance' }>,
  { page, t, names }: PageContext,
): DbWork<EmailContent> {
  const { change, windowId, name, description, startsAt, endsAt } = topic
  const changeText = t.text(`maintenance_${change}`)
  return {
    subject: subject`[${page.name}] ${changeText}: ${name}`,
    title: name,
    facts: [changeText, t.zonedRange(startsAt, endsAt)],
    messages: description === null ? [] : [{ text: description, html: plainParagraph(description) }],
    affected: affectedText(yield* monitorsCoveredBy(orgId, windowId), names, t),
    link: page.url,
    linkText: oneLine(page.name),
  }
}

/** Maintenance descriptions are plain text; line breaks are kept. */
function plainParagraph(text: string): SafeHtml {
  return html`<p style="white-space:pre-line">${text}</p>`
}

/** Uses the display names of the page; monitors that are not on the page are left out. */
function affectedText(ids: readonly string[], names: PageContext['names'], t: Translator): string | null {
  const affected = ids.flatMap((id) => names.get(id) ?? [])
  if (affected.length === 0) return null
  const list = t.list(affected.slice(0, MAX_NAMES))
  const rest = affected.length - MAX_NAMES
  return t.text('affects', { list: rest > 0 ? t.counted('andMore', rest, { list }) : list })
}

type EmailBody = Pick<Email, 'subject' | 'text' | 'html'>

function composeBody(email: EmailContent, { page, t }: PageContext): (unsubscribe: string) => EmailBody {
  const { title, facts, messages, affected, link, linkText } = email
  const reason = t.text('mailWhy', { name: oneLine(page.name) })
  const top = [
    oneLine(title),
    facts.join(' · '),
    ...messages.flatMap(({ heading, text }) => [
      '',
      ...(heading === undefined ? [] : [heading, '']),
      stripControls(text).trim(),
    ]),
    ...(affected === null ? [] : ['', oneLine(affected)]),
    '',
    `${linkText}: ${link}`,
  ].join('\n')
  const content = html`<h1 style="font-size:20px;margin:0 0 4px">${title}</h1>
<p style="margin:0 0 16px;color:#566175">${facts.join(' · ')}</p>
${messages.map(({ heading, html: rendered }) => html`${heading !== undefined && html`<h2 style="font-size:16px">${heading}</h2>`}<div>${rendered}</div>`)}
${affected !== null && html`<p>${affected}</p>`}
<p><a href="${link}">${linkText}</a></p>`
  return (unsubscribe) => ({
    subject: email.subject,
    text: `${top}\n\n-- \n${reason}\n${t.text('unsubscribe')}: ${unsubscribe}\n`,
    html: htmlEmail(t, content, html`${reason} <a href="${unsubscribe}">${t.text('unsubscribe')}</a>`),
  })
}

function confirmationEmail(
  { id, address, confirmBy }: PendingSubscriber,
  { page, t }: PageContext,
  link: string,
): Email {
  // The recipient has not asked for anything yet, so the text has no links either, except ours.
  const request = t.text('mailConfirmText', { name: cleanName(page.name) })
  const ignore = t.text('mailConfirmIgnore')
  return {
    to: address,
    id: `${id}.${confirmBy}`,
    subject: subjectWith((clean) => t.text('mailConfirmSubject', { name: clean(page.name) })),
    text: `${request}\n\n${link}\n\n${ignore}\n`,
    html: htmlEmail(t, html`<p>${request}</p><p><a href="${link}">${t.text('confirmTitle')}</a></p>`, html`${ignore}`),
  }
}

function htmlEmail(t: Translator, content: SafeHtml, footer: SafeHtml): string {
  return html`<!doctype html>
<html lang="${t.locale}" dir="${t.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0 auto;max-width:600px;padding:16px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere">
${content}
<p style="margin-top:32px;border-top:1px solid #dfe3e8;padding-top:8px;font-size:14px;color:#566175">${footer}</p>
</body></html>`.toString()
}
