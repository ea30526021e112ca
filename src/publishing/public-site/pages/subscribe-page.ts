import type { DbWork } from '../../../storage/query.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type PageInfo, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { alternateFormatsOf, type RenderOptions, renderLayout, SUBSCRIBE_PATH } from './layout.ts'
import { emailForm, endpointForm, endpointKinds, endpointTexts } from './subscription-pages.ts'

// biome-ignore lint/correctness/useYield: views are DbWork; this one needs nothing but the page
export function* subscribePageView(
  row: StoredPage,
  baseUrl: string,
  now: number,
): DbWork<{ page: PageInfo; at: number }> {
  return { page: pageInfoOf(row, baseUrl), at: now }
}

export function subscribePage({ page, at }: ViewOf<typeof subscribePageView>, options: RenderOptions): SafeHtml {
  const { t } = page
  const title = t.text('subscribeTitle')
  return renderLayout({
    page,
    options,
    at,
    title: `${title} · ${page.name}`,
    description: title,
    shape: 'none',
    path: SUBSCRIBE_PATH,
    hasSubscribeButton: false,
    content: html`<h1>${title}</h1><p class="about">${t.text('subscribeIntro', { name: page.name })}</p>
<div class="ways">${[
      options.hasForms && page.subscribersEnabled && forms(options, t),
      way(t.text('feeds'), t.text('feedsText'), links(options.root, /atom|rss/)),
      way(t.text('calendar'), t.text('calendarText'), links(options.root, /calendar/)),
      way(t.text('developers'), t.text('developersText'), links(options.root, /json/)),
    ]}</div>`,
  })
}

/** One card per way. */
function forms({ root, canMail }: RenderOptions, t: Translator): HtmlValue {
  const action = `${root}${SUBSCRIBE_PATH}`
  return [
    canMail && way(t.text('subscribe'), t.text('subscribeText'), emailForm(action, t)),
    endpointKinds.map((kind) => {
      const { title, hint } = endpointTexts[kind]
      return way(t.text(title), t.text(hint), endpointForm(kind, action, t))
    }),
  ]
}

function way(title: string, text: string, content: SafeHtml): SafeHtml {
  return html`<section class="card"><h2>${title}</h2><p>${text}</p>${content}</section>
`
}

function links(root: string, type: RegExp): SafeHtml {
  const formats = alternateFormatsOf(root).filter((format) => type.test(format.type))
  return html`<p class="links">${formats.map(({ href, title }) => html`<a href="${href}">${title}</a>`)}</p>`
}
