import type { EndpointKind } from '../../../notifications/subscribers/endpoint.ts'
import type { SubscriberKind } from '../../../storage/schema/subscribers.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import type { PageInfo } from '../views/page-info.ts'
import { faviconUrl } from './icons.ts'
import { logo, SUBSCRIBE_PATH } from './layout.ts'
import { complaintNote, errorAttributes, standalonePage } from './standalone-pages.ts'

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

export function emailForm(action: string, t: Translator, invalid?: Invalid): SafeHtml {
  return html`<form method="post" action="${action}">
<label for="email">${t.text('emailAddress')}</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${invalid?.value ?? ''}"${errorAttributes(invalid?.complaint)}>
${complaintNote(invalid?.complaint)}
<button>${t.text('subscribeShort')}</button>
</form>`
}

export function endpointForm(kind: EndpointKind, action: string, t: Translator, invalid?: Invalid): SafeHtml {
  const id = `${kind.toLowerCase()}-url`
  return html`<form method="post" action="${action}">
<label for="${id}">${t.text(endpointTexts[kind].label)}</label>
<input id="${id}" name="url" type="url" autocomplete="off" spellcheck="false" required maxlength="1000" placeholder="${kind === 'SLACK' ? 'https://hooks.slack.com/…' : 'https://'}" value="${invalid?.value ?? ''}"${errorAttributes(invalid?.complaint)}>
${complaintNote(invalid?.complaint)}
<button name="kind" value="${kind.toLowerCase()}">${t.text('subscribeShort')}</button>
</form>`
}

function subscriptionPage(page: PageInfo, heading: string, content: HtmlValue, isDone = false): SafeHtml {
  return standalonePage(page, {
    title: `${heading} · ${page.name}`,
    heading,
    content,
    name: html`<a href="${page.url}">${logo(page)}<bdi>${page.name}</bdi></a>`,
    favicon: faviconUrl(isDone ? 'up' : 'none'),
  })
}

/** The same for every address and URL, so that it does not reveal who is subscribed. */
const outcomes = {
  checkInbox: { title: 'subscribeSent', text: 'subscribeSentText', isDone: false },
  checkEndpoint: { title: 'confirmTitle', text: 'endpointSentText', isDone: false },
  confirmed: { title: 'confirmed', text: 'confirmedText', isDone: true },
  /** The time to confirm is over, or the subscriber was removed. */
  linkExpired: { title: 'linkOver', text: 'linkOverText', isDone: false },
} as const

export function outcomePage(page: PageInfo, outcome: keyof typeof outcomes): SafeHtml {
  const { t } = page
  const { title, text, isDone } = outcomes[outcome]
  return subscriptionPage(page, t.text(title), [html`<p>${t.text(text)}</p>`, backTo(page, t)], isDone)
}

interface InvalidAddress {
  readonly kind: SubscriberKind
  readonly value: string
}

export function invalidAddressPage(page: PageInfo, root: string, { kind, value }: InvalidAddress): SafeHtml {
  const { t } = page
  const action = `${root}${SUBSCRIBE_PATH}`
  if (kind === 'EMAIL') {
    const invalid = { value: value.slice(0, 254), complaint: t.text('notAnAddress') }
    return subscriptionPage(page, t.text('subscribe'), [emailForm(action, t, invalid), backTo(page, t)])
  }
  const invalid = { value: value.slice(0, 1000), complaint: t.text(endpointTexts[kind].invalid) }
  const content = [endpointForm(kind, action, t, invalid), backTo(page, t)]
  return subscriptionPage(page, t.text(endpointTexts[kind].title), content)
}

export function tooManyPage(page: PageInfo): SafeHtml {
  const { t } = page
  const note = html`<p class="note bad" role="alert">${t.text('tooManyRequests')}</p>`
  return subscriptionPage(page, t.text('subscribeTitle'), [note, backTo(page, t)])
}

function backTo(page: PageInfo, t: Translator): SafeHtml {
  return html`<p><a href="${page.url}">${t.text('backToPage', { name: page.name })}</a></p>`
}

/** Asks for a click, because mail scanners open links but press no buttons. */
function askPage(page: PageInfo, title: string, text: string, button: string): SafeHtml {
  return subscriptionPage(page, title, html`<p>${text}</p><form method="post"><button>${button}</button></form>`)
}

export function askConfirmPage(page: PageInfo): SafeHtml {
  const { t } = page
  return askPage(page, t.text('confirmTitle'), t.text('confirmText', { name: page.name }), t.text('confirm'))
}

export function askUnsubscribePage(page: PageInfo): SafeHtml {
  const { t } = page
  const text = t.text('unsubscribeText', { name: page.name })
  return askPage(page, t.text('unsubscribe'), text, t.text('unsubscribe'))
}

export function unsubscribedPage(page: PageInfo): SafeHtml {
  const { t } = page
  return subscriptionPage(page, t.text('unsubscribed'), html`<p>${t.text('unsubscribedText')}</p>`, true)
}
