import { type Words, wordsOf } from '../languages/translator.ts'
import { html, type Piece, type SafeHtml } from '../markup/html.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH } from '../styles/stylesheets.ts'
import type { PageFacts } from '../views/page-view.ts'
import { type Shape, tabIcon } from './icons.ts'
import { documentOf } from './layout.ts'

/** Where the form is sent to, below the root of a page. */
export const SUBSCRIBE_PATH = '/subscribe'

/** The form on a page; it works without a script. */
export function subscribePart(root: string, words: Words): SafeHtml {
  return html`<section class="part"><h2 id="subscribe">${words.text('subscribe')}</h2>
<div class="card"><p>${words.text('subscribeText')}</p>${form(`${root}${SUBSCRIBE_PATH}`, words)}</div></section>`
}

function form(action: string, words: Words, given = '', complaint?: string): SafeHtml {
  const marks = complaint !== undefined && html` aria-describedby="complaint" aria-invalid="true"`
  return html`${complaint !== undefined && html`<p class="note bad" role="alert" id="complaint">${complaint}</p>`}
<form method="post" action="${action}">
<label for="email">${words.text('emailAddress')}</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${given}"${marks}>
<button>${words.text('subscribe')}</button>
</form>`
}

/** A page beside the status page: about the reader, and not about how things stand. */
function alone(page: PageFacts, title: string, content: Piece, shape: Shape = 'none'): SafeHtml {
  const words = wordsOf(page.locale, page.timezone)
  return documentOf(words, {
    theme: page.theme,
    head: html`<title>${title} · ${page.name}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${tabIcon(shape)}">
${page.accentColor !== null && html`<link rel="stylesheet" href="${ASSETS_PATH}/${accentStylesheet(page.accentColor).name}">`}`,
    body: html`<main class="alone"><p class="name"><bdi>${page.name}</bdi></p><h1>${title}</h1>
${content}</main>`,
  })
}

function wordsFor(page: PageFacts): Words {
  return wordsOf(page.locale, page.timezone)
}

/** The same for every address, whether it is known, new, or asked too often. */
export function notedPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  return alone(page, words.text('subscribeSent'), [
    html`<p>${words.text('subscribeSentText')}</p>`,
    backTo(page, words),
  ])
}

export function noAddressPage(page: PageFacts, root: string, given: string): SafeHtml {
  const words = wordsFor(page)
  return alone(
    page,
    words.text('subscribe'),
    form(`${root}${SUBSCRIBE_PATH}`, words, given.slice(0, 254), words.text('notAnAddress')),
  )
}

export function tooManyPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  return alone(
    page,
    words.text('subscribe'),
    html`<p class="note bad" role="alert">${words.text('tooManyRequests')}</p>`,
  )
}

function backTo(page: PageFacts, words: Words): SafeHtml {
  return html`<p><a href="${page.url}">${words.text('backToPage', { name: page.name })}</a></p>`
}

/** Asks with a button: programs that follow the links in mails press none. */
function askPage(page: PageFacts, title: string, text: string, button: string): SafeHtml {
  return alone(page, title, html`<p>${text}</p><form method="post"><button>${button}</button></form>`)
}

export function askConfirmPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  return askPage(
    page,
    words.text('confirmTitle'),
    words.text('confirmText', { name: page.name }),
    words.text('confirm'),
  )
}

export function confirmedPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  const content = [html`<p>${words.text('confirmedText')}</p>`, backTo(page, words)]
  return alone(page, words.text('confirmed'), content, 'up')
}

export function askUnsubscribePage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  const text = words.text('unsubscribeText', { name: page.name })
  return askPage(page, words.text('unsubscribe'), text, words.text('unsubscribe'))
}

export function unsubscribedPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  return alone(page, words.text('unsubscribed'), html`<p>${words.text('unsubscribedText')}</p>`, 'up')
}

/** The time to confirm is over, or the subscriber has left. */
export function overPage(page: PageFacts): SafeHtml {
  const words = wordsFor(page)
  return alone(page, words.text('linkOver'), [html`<p>${words.text('linkOverText')}</p>`, backTo(page, words)])
}
