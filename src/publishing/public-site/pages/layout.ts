import { stripControls } from '../../../lib/text.ts'
import { uploadedLogo } from '../../status-pages/logo.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml, webUrl } from '../markup/html.ts'
import { localTimeScript } from '../markup/local-time.ts'
import { beams, tower } from '../markup/mark.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH, pageStylesheetName } from '../styles/stylesheets.ts'
import type { PageInfo } from '../views/page-info.ts'
import { faviconUrl, iconSymbols, type Shape } from './icons.ts'
import { textWithTime } from './times.ts'

/** The page with all ways to subscribe, and the target of its form, below the root of a page. */
export const SUBSCRIBE_PATH = '/subscribe'

export interface RenderOptions {
  /** Prefix of all links: `/status/SLUG`, or empty on a custom domain. */
  readonly root: string
  /** The age of the data if newer data cannot be read, else null. */
  readonly staleMs: number | null
  /** Whether a mail server is configured. */
  readonly canMail: boolean
  /** Whether visitors can send forms: not in an export. */
  readonly hasForms: boolean
  /** Whether the footer names Pharos. */
  readonly poweredBy: boolean
}

/** A feed, calendar or JSON document of a page. */
interface AlternateFormat {
  readonly href: string
  /** The media type. */
  readonly type: string
  readonly title: string
}

/** Linked from the head and the footer of every page, in this order. */
export function alternateFormatsOf(root: string): readonly AlternateFormat[] {
  return [
    { href: `${root}/feed.atom`, type: 'application/atom+xml', title: 'Atom' },
    { href: `${root}/feed.rss`, type: 'application/rss+xml', title: 'RSS' },
    { href: `${root}/maintenance.ics`, type: 'text/calendar', title: 'iCalendar' },
    { href: `${root}/api/v2/summary.json`, type: 'application/json', title: 'JSON' },
  ]
}

interface PageLayout {
  readonly page: PageInfo
  readonly options: RenderOptions
  /** When the data was read. */
  readonly at: number
  readonly title: string
  readonly description: string
  readonly shape: Shape
  /** Of this page, below the root. */
  readonly path: string
  readonly content: HtmlValue
  /** False on the page that the button opens. */
  readonly hasSubscribeButton?: boolean
}

/** The frame of every page: head, header, content and footer. */
export function renderLayout({
  page,
  options,
  at,
  title,
  description,
  shape,
  path,
  content,
  hasSubscribeButton = true,
}: PageLayout): SafeHtml {
  const { t } = page
  const isHome = path === ''
  const name = html`<bdi>${page.name}</bdi>`
  return htmlDocument(t, {
    theme: page.theme,
    head: html`<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="canonical" href="${page.url}${path}">
<link rel="icon" href="${webUrl(page.faviconUrl) ?? faviconUrl(shape)}">
${page.hideFromSearch && html`<meta name="robots" content="noindex">`}
${alternateFormatsOf(options.root).map(({ href, type, title }) => html`<link rel="alternate" type="${type}" title="${title}" href="${href}">`)}
${accentLink(page)}`,
    body: html`<svg class="shapes" aria-hidden="true">${iconSymbols}</svg>
<a class="skip" href="#content">${t.text('skip')}</a>
<header class="top">
${isHome ? html`${logo(page)}<h1>${name}</h1>` : html`<p class="name"><a href="${options.root}/">${logo(page)}${name}</a></p>`}
${hasSubscribeButton && html`<a class="button" href="${options.root}${SUBSCRIBE_PATH}">${t.text('subscribeShort')}</a>`}
</header>
<main id="content">
${!isHome && html`<p class="back"><a href="${options.root}/">${t.text('backToPage', { name: page.name })}</a></p>`}
${options.staleMs !== null && staleNote(t, at, options.staleMs)}
${content}
</main>
${footer(page, options, at, isHome)}`,
  })
}

export function accentLink({ accentColor }: PageInfo): HtmlValue {
  if (accentColor === null) return null
  return html`<link rel="stylesheet" href="${ASSETS_PATH}/${accentStylesheet(accentColor).name}">`
}

/** The logo of the page, or else the first letter of its name. */
export function logo(page: PageInfo): HtmlValue {
  const address = uploadedLogo(page.logoUrl) ?? webUrl(page.logoUrl)
  // The content security policy allows only images of this server and https.
  if (address?.startsWith('/') || address?.startsWith('https:')) return html`<img class="logo" src="${address}" alt="">`
  const [first] = graphemes.segment(stripControls(page.name).trim())
  return first && html`<span class="mark" aria-hidden="true">${first.segment.toUpperCase()}</span>`
}

/** Splits into graphemes: what looks like one letter may be several code points. */
const graphemes = new Intl.Segmenter()

function staleNote(t: Translator, at: number, staleMs: number): SafeHtml {
  const text = t.text('stale', { time: t.moment(at), age: t.duration(staleMs) })
  return html`<p class="note" role="status">${text}</p>`
}

function footer(page: PageInfo, options: RenderOptions, at: number, isHome: boolean): SafeHtml {
  const { t } = page
  const [homepage, contact] = [webUrl(page.homepageUrl), webUrl(page.contactUrl)]
  return html`<footer>
<nav aria-label="${t.text('footer')}"><ul>
${!isHome && html`<li><a href="${options.root}/history">${t.text('incidentHistory')}</a></li>`}
${alternateFormatsOf(options.root).map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>`)}
${homepage && html`<li><a href="${homepage}" rel="noopener noreferrer">${t.text('website')}</a></li>`}
${contact && html`<li><a href="${contact}" rel="noopener noreferrer">${t.text('contact')}</a></li>`}
</ul></nav>
<p>${textWithTime('updatedAt', at, t, t.lately(at))}<br><span id="zone">${t.text('zone', { zone: t.zoneName(at) })}</span>${t.zone !== 'UTC' && ` · ${t.text('utcDays')}`}</p>
${localTimeSwitch(t, at)}
${options.poweredBy && html`<p class="powered">${pharosMark}${t.text('poweredBy', { name: 'Pharos' })}</p>`}
</footer>`
}

/** Hidden unless the script runs and the visitor is in another time zone. */
function localTimeSwitch(t: Translator, at: number): SafeHtml {
  const zone = t.zoneName(at)
  return html`<button id="local-time" class="quiet" type="button" hidden data-local="${t.text('localTime')}" data-page="${t.text('pageTime', { zone })}" data-shown="${t.text('zone', { zone: '{zone}' })}" data-page-zone="${t.zone}">${t.text('localTime')}</button>
${localTimeScript}`
}

/** In one colour, so that it stays in the background. */
const pharosMark = html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${tower}${beams}"/></svg>`

interface Document {
  readonly theme: PageInfo['theme']
  readonly head: SafeHtml
  readonly body: SafeHtml
}

export function htmlDocument(t: Pick<Translator, 'locale'>, { theme, head, body }: Document): SafeHtml {
  const chosen = theme === 'SYSTEM' ? null : html` data-theme="${theme.toLowerCase()}"`
  return html`<!doctype html>
<html lang="${t.locale}" dir="ltr"${chosen}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${ASSETS_PATH}/${pageStylesheetName}">
${head}
</head>
<body>
${body}
</body>
</html>
`
}
