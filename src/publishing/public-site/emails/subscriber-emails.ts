import type { Sealer } from '../../../lib/seal.ts'
import { oneLine, truncate } from '../../../lib/text.ts'
import { linksOf } from '../../../notifications/subscribers/links.ts'
import type {
  EmailComposer,
  Notice,
  NoticeTopic,
  PendingSubscriber,
  Recipient,
} from '../../../notifications/subscribers/types.ts'
import type { Email } from '../../../outbound/email.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml, stripControls } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { monitorsOf } from '../queries/monitors.ts'
import type { PageKey } from '../queries/pages.ts'
import { displayNamesOn, type PageInfo, pageInfoOf } from '../views/page-view.ts'
import { incidentWithUpdate, monitorsCoveredBy, publishedPageOf } from './queries.ts'

const LONGEST_SUBJECT = 150
/** More names than this are counted. */
const NAMES_SHOWN = 20

/** What a letter says, whoever it is for. */
interface EmailContent {
  readonly subject: string
  readonly title: string
  /** Where it stands, since when, and the like. */
  readonly facts: readonly string[]
  /** What people wrote: as they did, and rendered. */
  readonly said: readonly { readonly heading?: string; readonly text: string; readonly html: HtmlValue }[]
  readonly affected: string | null
  readonly link: string
  readonly linkText: string
}

interface Found {
  readonly page: PageInfo
  readonly t: Translator
  readonly names: ReadonlyMap<string, string>
}

/** Writes what subscribers are sent, in the language and by the clock of the page. */
export function createEmailComposer(sealer: Sealer, baseUrl: () => string): EmailComposer {
  return {
    *notice({ orgId, id, pageId, topic }: Notice) {
      const pageKey = { orgId, pageId }
      const found = yield* pageFor(pageKey, baseUrl())
      const news = found && (yield* contentOf(pageKey, topic, found))
      if (found === undefined || news === undefined) return undefined
      const unsubscribe = (to: Recipient): string => linksOf(sealer, baseUrl()).unsubscribeUrl({ ...to, pageId })
      const { hostname } = new URL(baseUrl())
      const write = letterOf(news, found)
      return (to: Recipient): Email => {
        const link = unsubscribe(to)
        const headers = {
          'List-Id': `<${pageId}.${hostname}>`,
          'List-Unsubscribe': `<${link}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          Precedence: 'bulk',
        }
        return { to: to.address, id: `${id}.${to.id}`, ...write(link), headers }
      }
    },
    *confirmation(asked: PendingSubscriber) {
      const found = yield* pageFor(asked, baseUrl())
      return found && confirmationOf(asked, found, linksOf(sealer, baseUrl()).confirmUrl(asked, asked.confirmBy))
    },
  }
}

function* pageFor({ orgId, pageId }: PageKey, baseUrl: string): DbWork<Found | undefined> {
  const pageKey = { orgId, pageId }
  const row = yield* publishedPageOf(pageKey)
  const page = row && pageInfoOf(row, baseUrl)
  if (row === undefined || page?.subscribersEnabled !== true) return undefined
  return { page, t: translatorFor(page.locale, page.timezone), names: displayNamesOn(row, yield* monitorsOf(pageKey)) }
}

function* contentOf(pageKey: PageKey, about: NoticeTopic, found: Found): DbWork<EmailContent | undefined> {
  return about.kind === 'incident'
    ? yield* incidentContent(pageKey, about, found)
    : yield* maintenanceContent(pageKey, about, found)
}

function* incidentContent(
  pageKey: PageKey,
  { publishedId, updateId }: Extract<NoticeTopic, { kind: 'incident' }>,
  { page, t, names }: Found,
): DbWork<EmailContent | undefined> {
  const told = yield* incidentWithUpdate(pageKey, publishedId, updateId)
  if (told === undefined) return undefined
  const { incident, update } = told
  const state = t.text(`incident_${update.status}`)
  const postmortem = updateId === null ? incident.postmortem : null
  return {
    subject: `${state}: ${incident.title}`,
    title: incident.title,
    facts: [state, t.text(`impact_${incident.impact}`), t.moment(update.published_at)],
    said: [
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
  about: Extract<NoticeTopic, { kind: 'maintenance' }>,
  { page, t, names }: Found,
): DbWork<EmailContent> {
  const { change, windowId, name, description, startsAt, endsAt } = about
  const statusInput = t.text(`maintenance_${change}`)
  return {
    subject: `${statusInput}: ${name}`,
    title: name,
    facts: [statusInput, t.range(startsAt, endsAt)],
    said: description === null ? [] : [{ text: description, html: paragraphs(description) }],
    affected: affectedText(yield* monitorsCoveredBy(orgId, windowId), names, t),
    link: page.url,
    linkText: oneLine(page.name),
  }
}

/** Descriptions of windows are text, with the line breaks that they were given. */
function paragraphs(text: string): SafeHtml {
  return html`<p style="white-space:pre-line">${text}</p>`
}

/** What this page calls the monitors; of others it knows nothing. */
function affectedText(ids: readonly string[], names: Found['names'], t: Translator): string | null {
  const shown = ids.flatMap((id) => names.get(id) ?? [])
  if (shown.length === 0) return null
  const list = t.list(shown.slice(0, NAMES_SHOWN))
  const rest = shown.length - NAMES_SHOWN
  return t.text('affects', { list: rest > 0 ? t.counted('andMore', rest, { list }) : list })
}

type Body = Pick<Email, 'subject' | 'text' | 'html'>

function letterOf(news: EmailContent, { page, t }: Found): (unsubscribe: string) => Body {
  const { title, facts, said, affected, link, linkText } = news
  const why = t.text('mailWhy', { name: oneLine(page.name) })
  const top = [
    oneLine(title),
    facts.join(' · '),
    ...said.flatMap(({ heading, text }) => [
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
${said.map(({ heading, html: rendered }) => html`${heading !== undefined && html`<h2 style="font-size:16px">${heading}</h2>`}<div>${rendered}</div>`)}
${affected !== null && html`<p>${affected}</p>`}
<p><a href="${link}">${linkText}</a></p>`
  return (unsubscribe) => ({
    subject: subjectOf(`[${page.name}] ${news.subject}`),
    text: `${top}\n\n-- \n${why}\n${t.text('unsubscribe')}: ${unsubscribe}\n`,
    html: mailOf(t, content, html`${why} <a href="${unsubscribe}">${t.text('unsubscribe')}</a>`),
  })
}

function confirmationOf({ id, address, confirmBy }: PendingSubscriber, { page, t }: Found, link: string): Email {
  const name = oneLine(page.name)
  const [subject, request] = [t.text('mailConfirmSubject', { name }), t.text('mailConfirmText', { name })]
  const ignore = t.text('mailConfirmIgnore')
  return {
    to: address,
    id: `${id}.${confirmBy}`,
    subject: subjectOf(subject),
    text: `${request}\n\n${link}\n\n${ignore}\n`,
    html: mailOf(t, html`<p>${request}</p><p><a href="${link}">${t.text('confirmTitle')}</a></p>`, html`${ignore}`),
  }
}

function subjectOf(text: string): string {
  return truncate(oneLine(text), LONGEST_SUBJECT)
}

function mailOf(t: Translator, content: SafeHtml, foot: SafeHtml): string {
  return html`<!doctype html>
<html lang="${t.locale}" dir="${t.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0 auto;max-width:600px;padding:16px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere">
${content}
<p style="margin-top:32px;border-top:1px solid #dfe3e8;padding-top:8px;font-size:14px;color:#566175">${foot}</p>
</body></html>`.toString()
}
