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
import type { Letter } from '../../../outbound/email.ts'
import type { DbWork } from '../../../storage/query.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import { type Words, wordsOf } from '../languages/translator.ts'
import { html, type Piece, plain, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { monitorsOf, type Place } from '../queries/pages.ts'
import { factsOf, namesOn, type PageFacts } from '../views/page-view.ts'
import { monitorsIn, publishedPageOf, toldIncident } from './queries.ts'

const LONGEST_SUBJECT = 150
/** More names than this are counted. */
const NAMES_SHOWN = 20

/** What a letter says, whoever it is for. */
interface News {
  readonly subject: string
  readonly title: string
  /** Where it stands, since when, and the like. */
  readonly facts: readonly string[]
  /** What people wrote: as they did, and rendered. */
  readonly said: readonly { readonly heading?: string; readonly text: string; readonly html: Piece }[]
  readonly affected: string | null
  readonly link: string
  readonly linkText: string
}

interface Found {
  readonly page: PageFacts
  readonly words: Words
  readonly names: ReadonlyMap<string, string>
}

/** Writes what subscribers are sent, in the language and by the clock of the page. */
export function createWriter(sealer: Sealer, baseUrl: () => string): EmailComposer {
  return {
    *notice({ orgId, id, pageId, topic }: Notice) {
      const place = { orgId, pageId }
      const found = yield* pageFor(place, baseUrl())
      const news = found && (yield* newsOf(place, topic, found))
      if (found === undefined || news === undefined) return undefined
      const unsubscribe = (to: Recipient): string => linksOf(sealer, baseUrl()).unsubscribeUrl({ ...to, pageId })
      const { hostname } = new URL(baseUrl())
      const write = letterOf(news, found)
      return (to: Recipient): Letter => {
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

function* pageFor({ orgId, pageId }: Place, baseUrl: string): DbWork<Found | undefined> {
  const place = { orgId, pageId }
  const row = yield* publishedPageOf(place)
  const page = row && factsOf(row, baseUrl)
  if (row === undefined || page?.subscribersEnabled !== true) return undefined
  return { page, words: wordsOf(page.locale, page.timezone), names: namesOn(row, yield* monitorsOf(place)) }
}

function* newsOf(place: Place, about: NoticeTopic, found: Found): DbWork<News | undefined> {
  return about.kind === 'incident'
    ? yield* incidentNews(place, about, found)
    : yield* maintenanceNews(place, about, found)
}

function* incidentNews(
  place: Place,
  { publishedId, updateId }: Extract<NoticeTopic, { kind: 'incident' }>,
  { page, words, names }: Found,
): DbWork<News | undefined> {
  const told = yield* toldIncident(place, publishedId, updateId)
  if (told === undefined) return undefined
  const { incident, update } = told
  const state = words.text(`incident_${update.status}`)
  const postmortem = updateId === null ? incident.postmortem : null
  return {
    subject: `${state}: ${incident.title}`,
    title: incident.title,
    facts: [state, words.text(`impact_${incident.impact}`), words.moment(update.published_at)],
    said: [
      { text: update.message, html: markdown(update.message, 2) },
      ...(postmortem === null
        ? []
        : [{ heading: words.text('postmortem'), text: postmortem, html: markdown(postmortem, 2) }]),
    ],
    affected: affectedText(
      (JSON.parse(update.affected) as Affected[]).map(({ monitorId }) => monitorId),
      names,
      words,
    ),
    link: `${page.url}/incidents/${publishedId}`,
    linkText: words.text('mailDetails'),
  }
}

function* maintenanceNews(
  { orgId }: Place,
  about: Extract<NoticeTopic, { kind: 'maintenance' }>,
  { page, words, names }: Found,
): DbWork<News> {
  const { change, windowId, name, description, startsAt, endsAt } = about
  const stands = words.text(`maintenance_${change}`)
  return {
    subject: `${stands}: ${name}`,
    title: name,
    facts: [stands, words.range(startsAt, endsAt)],
    said: description === null ? [] : [{ text: description, html: paragraphs(description) }],
    affected: affectedText(yield* monitorsIn(orgId, windowId), names, words),
    link: page.url,
    linkText: oneLine(page.name),
  }
}

/** Descriptions of windows are text, with the line breaks that they were given. */
function paragraphs(text: string): SafeHtml {
  return html`<p style="white-space:pre-line">${text}</p>`
}

/** What this page calls the monitors; of others it knows nothing. */
function affectedText(ids: readonly string[], names: Found['names'], words: Words): string | null {
  const shown = ids.flatMap((id) => names.get(id) ?? [])
  if (shown.length === 0) return null
  const list = words.list(shown.slice(0, NAMES_SHOWN))
  const rest = shown.length - NAMES_SHOWN
  return words.text('affects', { list: rest > 0 ? words.counted('andMore', rest, { list }) : list })
}

type Body = Pick<Letter, 'subject' | 'text' | 'html'>

function letterOf(news: News, { page, words }: Found): (unsubscribe: string) => Body {
  const { title, facts, said, affected, link, linkText } = news
  const why = words.text('mailWhy', { name: oneLine(page.name) })
  const top = [
    oneLine(title),
    facts.join(' · '),
    ...said.flatMap(({ heading, text }) => ['', ...(heading === undefined ? [] : [heading, '']), plain(text).trim()]),
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
    text: `${top}\n\n-- \n${why}\n${words.text('unsubscribe')}: ${unsubscribe}\n`,
    html: mailOf(words, content, html`${why} <a href="${unsubscribe}">${words.text('unsubscribe')}</a>`),
  })
}

function confirmationOf({ id, address, confirmBy }: PendingSubscriber, { page, words }: Found, link: string): Letter {
  const name = oneLine(page.name)
  const [subject, request] = [words.text('mailConfirmSubject', { name }), words.text('mailConfirmText', { name })]
  const ignore = words.text('mailConfirmIgnore')
  return {
    to: address,
    id: `${id}.${confirmBy}`,
    subject: subjectOf(subject),
    text: `${request}\n\n${link}\n\n${ignore}\n`,
    html: mailOf(
      words,
      html`<p>${request}</p><p><a href="${link}">${words.text('confirmTitle')}</a></p>`,
      html`${ignore}`,
    ),
  }
}

function subjectOf(text: string): string {
  return truncate(oneLine(text), LONGEST_SUBJECT)
}

function mailOf(words: Words, content: SafeHtml, foot: SafeHtml): string {
  return html`<!doctype html>
<html lang="${words.locale}" dir="${words.direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0 auto;max-width:600px;padding:16px;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere">
${content}
<p style="margin-top:32px;border-top:1px solid #dfe3e8;padding-top:8px;font-size:14px;color:#566175">${foot}</p>
</body></html>`.toString()
}
