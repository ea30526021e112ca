import type { DbWork } from '../../../storage/query.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type PageInfo, pageInfoOf, type ViewOf } from '../views/page-info.ts'
import { alternateFormatsOf, type RenderOptions, renderLayout, SUBSCRIBE_PATH } from './layout.ts'
import { emailForm, endpointForm, endpointKinds, endpointTexts } from './subscription-pages.ts'

type SubscribePageView = ViewOf<typeof subscribePageView>

// biome-ignore lint/correctness/useYield: views are DbWork; this one needs nothing but the page
export function* subscribePageView(
  row: StoredPage,
  baseUrl: string,
  now: number,
): DbWork<{ page: PageInfo; at: number }> {
  return { page: pageInfoOf(row, baseUrl), at: now }
}

/** One card per way to subscribe, in this order. */
const ways: readonly ((view: SubscribePageView, options: RenderOptions, t: Translator) => HtmlValue)[] = [
  ({ page }, { root, canMail, hasForms }, t) =>
    canMail &&
    hasForms &&
    page.subscribersEnabled &&
    way(t.text('subscribe'), t.text('subscribeText'), emailForm(`${root}${SUBSCRIBE_PATH}`, t)),
  ({ page }, { root, hasForms }, t) =>
    hasForms &&
    page.subscribersEnabled &&
    endpointKinds.map((kind) => {
      const { title, hint } = endpointTexts[kind]
      return way(t.text(title), t.text(hint), endpointForm(kind, `${root}${SUBSCRIBE_PATH}`, t))
    }),
  (_view, { root }, t) => way(t.text('feeds'), t.text('feedsText'), links(root, /atom|rss/)),
  (_view, { root }, t) => way(t.text('calendar'), t.text('calendarText'), links(root, /calendar/)),
  (_view, { root }, t) => way(t.text('developers'), t.text('developersText'), links(root, /json/)),
]

export function subscribePage(view: SubscribePageView, options: RenderOptions): SafeHtml {
  const { page, at } = view
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
<div class="ways">${ways.map((render) => render(view, options, t))}</div>`,
  })
}

function way(title: string, text: string, content: SafeHtml): SafeHtml {
  return html`<section class="card"><h2>${title}</h2><p>${text}</p>${content}</section>
`
}

function links(root: string, type: RegExp): SafeHtml {
  const formats = alternateFormatsOf(root).filter((format) => type.test(format.type))
  return html`<p class="links">${formats.map(({ href, title }) => html`<a href="${href}">${title}</a>`)}</p>`
}
