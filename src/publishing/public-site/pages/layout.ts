import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { Words } from '../languages/translator.ts'
import { html, type Piece, plain, type SafeHtml, webAddress } from '../markup/html.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH, pageStylesheetName } from '../styles/stylesheets.ts'
import type { PageFacts } from '../views/page-view.ts'
import { representationsOf } from './alternate-formats.ts'
import { iconSymbols, type Shape, tabIcon } from './icons.ts'

/** From where, and how late, a page is looked at. */
export interface Look {
  /** What links begin with: `/status/shop`, or nothing on a domain of the page's own. */
  readonly root: string
  /** Set while newer data cannot be read: how old what is shown is. */
  readonly staleMs: number | null
  /** Whether there is a mail server to tell readers with. */
  readonly canMail: boolean
}

interface Sheet {
  readonly page: PageFacts
  readonly words: Words
  readonly look: Look
  /** When the data was read. */
  readonly at: number
  readonly title: string
  readonly description: string
  readonly shape: Shape
  /** Where this very page is, below the root. */
  readonly path: string
  /** Drawings that the content refers to. */
  readonly shapes?: SafeHtml
  readonly content: Piece
}

/** A whole page of a status page: head, name, content, foot. */
export function sheet({ page, words, look, at, title, description, shape, path, shapes, content }: Sheet): SafeHtml {
  const isHome = path === ''
  const name = html`<bdi>${page.name}</bdi>`
  return documentOf(words, {
    theme: page.theme,
    head: html`<title>${title}</title>
<meta name="description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="canonical" href="${page.url}${path}">
<link rel="icon" href="${webAddress(page.faviconUrl) ?? tabIcon(shape)}">
${page.hideFromSearch && html`<meta name="robots" content="noindex">`}
${representationsOf(look.root).map(({ href, type, title }) => html`<link rel="alternate" type="${type}" title="${title}" href="${href}">`)}
${page.accentColor !== null && html`<link rel="stylesheet" href="${ASSETS_PATH}/${accentStylesheet(page.accentColor).name}">`}`,
    body: html`<svg class="shapes" aria-hidden="true">${iconSymbols}${shapes}</svg>
<a class="skip" href="#content">${words.text('skip')}</a>
<header class="top">
${isHome ? html`${mark(page)}<h1>${name}</h1>` : html`<p class="name"><a href="${look.root}/">${mark(page)}${name}</a></p>`}
</header>
<main id="content">
${look.staleMs !== null && staleness(words, at, look.staleMs)}
${content}
</main>
${foot(page, words, look, at, isHome)}`,
  })
}

/** The page's logo, or the first letter of its name in its colour. */
function mark(page: PageFacts): Piece {
  const address = webAddress(page.logoUrl)
  // The policy lets no picture be loaded in the clear.
  if (address?.startsWith('https:')) return html`<img class="logo" src="${address}" alt="">`
  const [first] = letters.segment(plain(page.name).trim())
  return first && html`<span class="mark" aria-hidden="true">${first.segment.toUpperCase()}</span>`
}

/** What people take for one letter may be several characters. */
const letters = new Intl.Segmenter()

function staleness(words: Words, at: number, staleMs: number): SafeHtml {
  const text = words.text('stale', { time: words.moment(at), age: words.duration(staleMs) })
  return html`<p class="note" role="status">${text}</p>`
}

function foot(page: PageFacts, words: Words, look: Look, at: number, isHome: boolean): SafeHtml {
  const [homepage, contact] = [webAddress(page.homepageUrl), webAddress(page.contactUrl)]
  return html`<footer>
<nav aria-label="${words.text('footer')}"><ul>
${!isHome && html`<li><a href="${look.root}/history">${words.text('incidentHistory')}</a></li>`}
${representationsOf(look.root).map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>`)}
${homepage && html`<li><a href="${homepage}" rel="noopener noreferrer">${words.text('website')}</a></li>`}
${contact && html`<li><a href="${contact}" rel="noopener noreferrer">${words.text('contact')}</a></li>`}
</ul></nav>
<p>${words.text('updatedAt', { time: words.lately(at) })}<br>${words.text('zone', { zone: words.zone })}</p>
</footer>`
}

interface Document {
  readonly theme: PageFacts['theme']
  readonly head: SafeHtml
  readonly body: SafeHtml
}

export function documentOf(words: Pick<Words, 'locale' | 'direction'>, { theme, head, body }: Document): SafeHtml {
  const chosen = theme === 'SYSTEM' ? null : html` data-theme="${theme.toLowerCase()}"`
  return html`<!doctype html>
<html lang="${words.locale}" dir="${words.direction}"${chosen}>
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

/** A moment as people and programs read it. */
export function time(at: number, words: Words): SafeHtml {
  return html`<time datetime="${isoTimestamp(at)}">${words.moment(at)}</time>`
}
