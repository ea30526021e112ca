import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH } from '../styles/stylesheets.ts'
import type { PageInfo } from '../views/page-view.ts'
import { faviconUrl, type Shape } from './icons.ts'
import { htmlDocument } from './layout.ts'

/** The target of the form, below the root of a page. */
export const SUBSCRIBE_PATH = '/subscribe'

export function subscribeSection(root: string, t: Translator): SafeHtml {
  return html`<section class="part"><h2 id="subscribe">${t.text('subscribe')}</h2>
<div class="card"><p>${t.text('subscribeText')}</p>${form(`${root}${SUBSCRIBE_PATH}`, t)}</div></section>`
}

function form(action: string, t: Translator, email = '', complaint?: string): SafeHtml {
  const errorAttributes = complaint !== undefined && html` aria-describedby="complaint" aria-invalid="true"`
  return html`${complaint !== undefined && html`<p class="note bad" role="alert" id="complaint">${complaint}</p>`}
<form method="post" action="${action}">
<label for="email">${t.text('emailAddress')}</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${email}"${errorAttributes}>
<button>${t.text('subscribe')}</button>
</form>`
}

/** A page with only a title and the content. */
function standalonePage(page: PageInfo, title: string, content: HtmlValue, shape: Shape = 'none'): SafeHtml {
  const t = translatorFor(page.locale, page.timezone)
  return htmlDocument(t, {
    theme: page.theme,
    head: html`<title>${title} · ${page.name}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${faviconUrl(shape)}">
${page.accentColor !== null && html`<link rel="stylesheet" href="${ASSETS_PATH}/${accentStylesheet(page.accentColor).name}">`}`,
    body: html`<main class="alone"><p class="name"><bdi>${page.name}</bdi></p><h1>${title}</h1>
${content}</main>`,
  })
}

function translatorOf(page: PageInfo): Translator {
  return translatorFor(page.locale, page.timezone)
}

/** The same for every address, so that it does not reveal who is subscribed. */
export function checkInboxPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  return standalonePage(page, t.text('subscribeSent'), [html`<p>${t.text('subscribeSentText')}</p>`, backTo(page, t)])
}

export function invalidEmailPage(page: PageInfo, root: string, email: string): SafeHtml {
  const t = translatorOf(page)
  return standalonePage(
    page,
    t.text('subscribe'),
    form(`${root}${SUBSCRIBE_PATH}`, t, email.slice(0, 254), t.text('notAnAddress')),
  )
}

export function tooManyPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  return standalonePage(
    page,
    t.text('subscribe'),
    html`<p class="note bad" role="alert">${t.text('tooManyRequests')}</p>`,
  )
}

function backTo(page: PageInfo, t: Translator): SafeHtml {
  return html`<p><a href="${page.url}">${t.text('backToPage', { name: page.name })}</a></p>`
}

/** Asks for a click, because mail scanners open links but press no buttons. */
function askPage(page: PageInfo, title: string, text: string, button: string): SafeHtml {
  return standalonePage(page, title, html`<p>${text}</p><form method="post"><button>${button}</button></form>`)
}

export function askConfirmPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  return askPage(page, t.text('confirmTitle'), t.text('confirmText', { name: page.name }), t.text('confirm'))
}

export function confirmedPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  const content = [html`<p>${t.text('confirmedText')}</p>`, backTo(page, t)]
  return standalonePage(page, t.text('confirmed'), content, 'up')
}

export function askUnsubscribePage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  const text = t.text('unsubscribeText', { name: page.name })
  return askPage(page, t.text('unsubscribe'), text, t.text('unsubscribe'))
}

export function unsubscribedPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  return standalonePage(page, t.text('unsubscribed'), html`<p>${t.text('unsubscribedText')}</p>`, 'up')
}

/** The time to confirm is over, or the subscriber was removed. */
export function linkExpiredPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  return standalonePage(page, t.text('linkOver'), [html`<p>${t.text('linkOverText')}</p>`, backTo(page, t)])
}
