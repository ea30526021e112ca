import type { EndpointKind } from '../../../notifications/subscribers/endpoint.ts'
import type { SubscriberKind } from '../../../storage/schema/subscribers.ts'
import { type Translator, translatorFor } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH } from '../styles/stylesheets.ts'
import type { PageInfo } from '../views/page-info.ts'
import { faviconUrl, type Shape } from './icons.ts'
import { htmlDocument, logo, SUBSCRIBE_PATH } from './layout.ts'

/** Besides e-mail. */
export const endpointKinds = ['SLACK', 'WEBHOOK'] as const

export const endpointTexts = {
  SLACK: { title: 'subscribeSlack', label: 'slackUrl', hint: 'slackHint', invalid: 'notASlackUrl' },
  WEBHOOK: { title: 'subscribeWebhook', label: 'webhookUrl', hint: 'webhookHint', invalid: 'notAWebhookUrl' },
} as const

interface Invalid {
  readonly value: string
  readonly complaint: string
}

function complaintNote(invalid: Invalid | undefined): HtmlValue {
  return invalid && html`<p class="note bad" role="alert" id="complaint">${invalid.complaint}</p>`
}

function errorAttributes(invalid: Invalid | undefined): HtmlValue {
  return invalid && html` aria-describedby="complaint" aria-invalid="true"`
}

export function emailForm(action: string, t: Translator, invalid?: Invalid): SafeHtml {
  return html`<form method="post" action="${action}">
<label for="email">${t.text('emailAddress')}</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${invalid?.value ?? ''}"${errorAttributes(invalid)}>
${complaintNote(invalid)}
<button>${t.text('subscribeShort')}</button>
</form>`
}

export function endpointForm(kind: EndpointKind, action: string, t: Translator, invalid?: Invalid): SafeHtml {
  const id = `${kind.toLowerCase()}-url`
  return html`<form method="post" action="${action}">
<label for="${id}">${t.text(endpointTexts[kind].label)}</label>
<input id="${id}" name="url" type="url" autocomplete="off" spellcheck="false" required maxlength="1000" placeholder="${kind === 'SLACK' ? 'https://hooks.slack.com/…' : 'https://'}" value="${invalid?.value ?? ''}"${errorAttributes(invalid)}>
${complaintNote(invalid)}
<button name="kind" value="${kind.toLowerCase()}">${t.text('subscribeShort')}</button>
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
    body: html`<main class="alone"><p class="name"><a href="${page.url}">${logo(page)}<bdi>${page.name}</bdi></a></p><h1>${title}</h1>
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

/** The same for every URL. */
export function checkEndpointPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  const content = [html`<p>${t.text('endpointSentText')}</p>`, backTo(page, t)]
  return standalonePage(page, t.text('confirmTitle'), content)
}

interface InvalidAddress {
  readonly kind: SubscriberKind
  readonly value: string
}

export function invalidAddressPage(page: PageInfo, root: string, { kind, value }: InvalidAddress): SafeHtml {
  const t = translatorOf(page)
  const action = `${root}${SUBSCRIBE_PATH}`
  if (kind === 'EMAIL') {
    const invalid = { value: value.slice(0, 254), complaint: t.text('notAnAddress') }
    return standalonePage(page, t.text('subscribe'), [emailForm(action, t, invalid), backTo(page, t)])
  }
  const invalid = { value: value.slice(0, 1000), complaint: t.text(endpointTexts[kind].invalid) }
  const content = [endpointForm(kind, action, t, invalid), backTo(page, t)]
  return standalonePage(page, t.text(endpointTexts[kind].title), content)
}

export function tooManyPage(page: PageInfo): SafeHtml {
  const t = translatorOf(page)
  const note = html`<p class="note bad" role="alert">${t.text('tooManyRequests')}</p>`
  return standalonePage(page, t.text('subscribeTitle'), [note, backTo(page, t)])
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
