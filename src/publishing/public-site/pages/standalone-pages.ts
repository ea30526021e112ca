import { translatorFor } from '../languages/translator.ts'
import { html, type SafeHtml, webUrl } from '../markup/html.ts'
import { accentStylesheet } from '../styles/accent.ts'
import { ASSETS_PATH } from '../styles/stylesheets.ts'
import type { PageInfo } from '../views/page-info.ts'
import { faviconUrl } from './icons.ts'
import { htmlDocument } from './layout.ts'

/** In English, because no status page and therefore no language is known. */
export const messagePage = (title: string, text: string | SafeHtml, form?: SafeHtml): SafeHtml =>
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
  const t = translatorFor(page.locale, page.timezone)
  const title = t.text('notFound')
  const homepage = webUrl(page.homepageUrl)
  return htmlDocument(t, {
    theme: page.theme,
    head: html`<title>${title} · ${page.name}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${webUrl(page.faviconUrl) ?? faviconUrl('none')}">
${accentLink(page)}`,
    body: html`<main class="alone"><p class="name"><bdi>${page.name}</bdi></p><h1>${title}</h1>
<p>${t.text('notFoundText')}</p>
<p class="links"><a href="${root}/">${t.text('backToPage', { name: page.name })}</a>${homepage && html`<a href="${homepage}" rel="noopener noreferrer">${t.text('website')}</a>`}</p></main>`,
  })
}

function accentLink({ accentColor }: PageInfo): SafeHtml | null {
  return accentColor === null
    ? null
    : html`<link rel="stylesheet" href="${ASSETS_PATH}/${accentStylesheet(accentColor).name}">`
}

export const unavailablePage = messagePage('Page temporarily unavailable', 'Try again in a moment.')

/** For an email link with an invalid token or for a deleted page. */
export const brokenLinkPage = messagePage(
  'Invalid link',
  'The link is incomplete or has expired, or the status page was removed. To subscribe, open the status page again.',
)

export type Refusal = { readonly kind: 'none' | 'wrong' } | { readonly kind: 'tooMany'; readonly waitMs: number }

/** Shows only the name of the page and a password form. */
export function passwordPage(page: PageInfo, refusal: Refusal): SafeHtml {
  const t = translatorFor(page.locale, page.timezone)
  const title = t.text('privateTitle')
  const complaint =
    refusal.kind === 'wrong'
      ? t.text('wrongPassword')
      : refusal.kind === 'tooMany'
        ? t.text('tooManyAttempts', { duration: t.duration(refusal.waitMs) })
        : null
  return htmlDocument(t, {
    theme: page.theme,
    head: html`<title>${page.name}: ${title}</title>
<meta name="robots" content="noindex">
<link rel="icon" href="${faviconUrl('none')}">
${accentLink(page)}`,
    body: html`<main class="alone"><p class="name"><bdi>${page.name}</bdi></p><h1>${title}</h1>
<p>${t.text('privateText')}</p>
${complaint !== null && html`<p class="note bad" role="alert" id="complaint">${complaint}</p>`}
<form method="post">
<label for="password">${t.text('password')}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="128" autofocus${complaint !== null && html` aria-describedby="complaint" aria-invalid="true"`}>
<button>${t.text('open')}</button>
</form></main>`,
  })
}
