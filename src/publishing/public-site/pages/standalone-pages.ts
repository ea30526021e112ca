import { type HtmlValue, html, type SafeHtml, webUrl } from '../markup/html.ts'
import type { PageInfo } from '../views/page-info.ts'
import { faviconUrl } from './icons.ts'
import { accentLink, htmlDocument } from './layout.ts'

interface Standalone {
  readonly title: string
  readonly heading: string
  readonly content: HtmlValue
  /** Above the heading; by default the name of the page. */
  readonly name?: HtmlValue
  readonly favicon?: string
}

/** A page with only a heading and the content. */
export function standalonePage(page: PageInfo, { title, heading, content, name, favicon }: Standalone): SafeHtml {
  return htmlDocument(page.t, {
    theme: page.theme,
    head: html`<title>${title}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${favicon ?? faviconUrl('none')}">
${accentLink(page)}`,
    body: html`<main class="alone"><p class="name">${name ?? html`<bdi>${page.name}</bdi>`}</p><h1>${heading}</h1>
${content}</main>`,
  })
}

/** In English, because no status page and therefore no language is known. */
const messagePage = (title: string, text: string | SafeHtml, form?: SafeHtml): SafeHtml =>
  htmlDocument(
    { locale: 'en' },
    {
      theme: 'SYSTEM',
      head: html`<title>${title}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${faviconUrl('none')}">`,
      body: html`<main class="alone"><h1>${title}</h1><p>${text}</p>${form}</main>`,
    },
  )

/** The same for unpublished pages, so that visitors cannot tell them from missing ones. */
export const notFoundPage = messagePage(
  'Page not found',
  'Check the address. The page may have been moved or unpublished.',
)

/** For an unknown address below a page: leads back to the page, and to the website of its owner. */
export function notFoundOnPage(page: PageInfo, root: string): SafeHtml {
  const { t } = page
  const heading = t.text('notFound')
  const homepage = webUrl(page.homepageUrl)
  return standalonePage(page, {
    title: `${heading} · ${page.name}`,
    heading,
    favicon: webUrl(page.faviconUrl) ?? faviconUrl('none'),
    content: html`<p>${t.text('notFoundText')}</p>
<p class="links"><a href="${root}/">${t.text('backToPage', { name: page.name })}</a>${homepage && html`<a href="${homepage}" rel="noopener noreferrer">${t.text('website')}</a>`}</p>`,
  })
}

export const unavailablePage = messagePage('Page temporarily unavailable', 'Try again in a moment.')

/** For an email link with an invalid token or for a deleted page. */
export const brokenLinkPage = messagePage(
  'Invalid link',
  'The link is incomplete or has expired, or the status page was removed. To subscribe, open the status page again.',
)

interface AlertsRequest {
  readonly organization: string
  readonly address: string
}

/** Asks for a click, because mail scanners open links but press no buttons. */
export function askAlertsPage({ organization, address }: AlertsRequest): SafeHtml {
  return messagePage(
    'Receive alerts by e-mail?',
    html`<bdi>${organization}</bdi> wants to send monitoring alerts to <bdi>${address}</bdi>.`,
    html`<form method="post"><button>Confirm</button></form>`,
  )
}

export function alertsConfirmedPage({ organization, address }: AlertsRequest): SafeHtml {
  return messagePage(
    'Address confirmed',
    html`<bdi>${address}</bdi> will receive monitoring alerts from <bdi>${organization}</bdi>. You can close this page.`,
  )
}

export const brokenAlertsLinkPage = messagePage(
  'Invalid link',
  'The link is incomplete or has expired, or the alert contact was changed. Ask for a new confirmation e-mail.',
)

export type Refusal = { readonly kind: 'none' | 'wrong' } | { readonly kind: 'tooMany'; readonly waitMs: number }

/** Shows only the name of the page and a password form. */
export function passwordPage(page: PageInfo, refusal: Refusal): SafeHtml {
  const { t } = page
  const heading = t.text('privateTitle')
  const complaint =
    refusal.kind === 'wrong'
      ? t.text('wrongPassword')
      : refusal.kind === 'tooMany'
        ? t.text('tooManyAttempts', { duration: t.duration(refusal.waitMs) })
        : undefined
  return standalonePage(page, {
    title: `${page.name}: ${heading}`,
    heading,
    content: html`<p>${t.text('privateText')}</p>
${complaintNote(complaint)}
<form method="post">
<label for="password">${t.text('password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128" autofocus${errorAttributes(complaint)}>
<button>${t.text('open')}</button>
</form>`,
  })
}

/** Why the field of a form was refused. */
export function complaintNote(complaint: string | undefined): HtmlValue {
  return complaint !== undefined && html`<p class="note bad" role="alert" id="complaint">${complaint}</p>`
}

export function errorAttributes(complaint: string | undefined): HtmlValue {
  return complaint !== undefined && html` aria-describedby="complaint" aria-invalid="true"`
}
