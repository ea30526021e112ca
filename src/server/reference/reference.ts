import { once } from '../../lib/once.ts'
import { EncodedContent } from '../../publishing/public-site/http/encoded-content.ts'
import { securityHeaders } from '../../publishing/public-site/http/headers.ts'
import { html, type SafeHtml } from '../../publishing/public-site/markup/html.ts'
import { script, searchFile, stylesheet } from './assets.ts'
import { readGuides } from './guides.ts'
import { introduction } from './introduction.ts'
import { DOCS_PATH, EVENTS_PATH, type Frame, type NavigationGroup, renderPage } from './layout.ts'
import { inline } from './markup.ts'
import { type Model, modelOf, type OpenApi, slugOf } from './model.ts'
import { eventSection, operationSection } from './operation-section.ts'
import { searchIndex } from './search-index.ts'

/** Scripts, styles and requests of this server only: the key that a reader types can go nowhere else. */
const pageHeaders = {
  ...securityHeaders,
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  // Revalidated by ETag: the next version may describe other operations.
  'cache-control': 'public, no-cache',
} as const

interface Page {
  readonly path: string
  readonly title: string
  readonly content: () => SafeHtml
}

/** Every page and file of the reference by its path. Each is rendered at its first request, so that none blocks for long, and kept. */
export function createReference(document: OpenApi): ReadonlyMap<string, () => EncodedContent> {
  const model = modelOf(document)
  const baseUrl = document.servers[0]?.url ?? ''
  const guides = readGuides(baseUrl)
  const [styles, code] = [stylesheet(), script()]
  const search = searchFile(searchIndex(model, guides))
  const groups = navigation(model, guides)
  const frame: Frame = {
    version: document.info.version,
    groups,
    stylesheet: styles.path,
    script: code.path,
    searchIndex: search.path,
  }
  const pages: Page[] = [
    { path: DOCS_PATH, title: 'Pharos API reference', content: () => introduction(document, groups) },
    ...guides.map(({ slug, title, content }) => ({
      path: `${DOCS_PATH}/${slug}`,
      title,
      content: () => html`<article class="guide"><h1>${title}</h1>${content}</article>`,
    })),
    ...operationPages(model, baseUrl),
    eventPage(model),
  ]
  const rendered = pages.map((page): [string, () => EncodedContent] => [page.path, once(() => render(frame, page))])
  return new Map([...rendered, ...[styles, code, search].map(({ path, content }) => [path, once(content)] as const)])
}

function navigation(model: Model, guides: readonly { slug: string; title: string }[]): NavigationGroup[] {
  const byTag = Map.groupBy(model.operations, ({ tag }) => tag)
  const links = guides.map(({ slug, title }) => ({ href: `${DOCS_PATH}/${slug}`, text: title }))
  const events = model.events.map(({ summary }) => ({ href: `#${summary}`, text: summary }))
  return [
    { title: 'Guides', links: [{ href: DOCS_PATH, text: 'Introduction' }, ...links] },
    {
      title: 'Operations',
      links: [...byTag].map(([tag, operations]) => ({
        href: `${DOCS_PATH}/${slugOf(tag)}`,
        text: tag,
        parts: operations.map(({ id, method, summary }) => ({ href: `#${id}`, text: summary, method })),
      })),
    },
    { title: 'Events', links: [{ href: EVENTS_PATH, text: 'Webhook events', parts: events }] },
  ]
}

function operationPages({ document, operations: all, resolve }: Model, baseUrl: string): Page[] {
  const byTag = Map.groupBy(all, ({ tag }) => tag)
  return [...byTag].map(([tag, operations]) => ({
    path: `${DOCS_PATH}/${slugOf(tag)}`,
    title: tag,
    content: () => html`<h1>${tag}</h1>
<p class="lead">${inline(document.tags.find(({ name }) => name === tag)?.description ?? '')}</p>
${operations.map((operation) => operationSection(operation, baseUrl, resolve))}`,
  }))
}

function eventPage({ events, resolve }: Model): Page {
  return {
    path: EVENTS_PATH,
    title: 'Webhook events',
    content: () => html`<h1>Webhook events</h1>
<p class="lead">The requests that Pharos sends to your <a href="${DOCS_PATH}/webhooks">webhook endpoints</a>: a POST with a JSON body and three headers, signed as the guide to <a href="${DOCS_PATH}/webhook-verification">webhook verification</a> explains.</p>
${events.map((event) => eventSection(event, resolve))}`,
  }
}

function render(frame: Frame, { path, title, content }: Page): EncodedContent {
  const full = path === DOCS_PATH ? title : `${title} · Pharos API`
  const text = renderPage(frame, { path, title: full, content: content() })
  return new EncodedContent(text, 'text/html; charset=utf-8', pageHeaders)
}
