import { fieldsOf } from './fields.ts'
import type { Guide } from './guides.ts'
import { eventsIn, type OpenApi, operationsIn, resolver, slugOf } from './model.ts'

/** What the search finds. Short names, because the index is downloaded: title, subtitle, address, further words. */
export interface SearchEntry {
  readonly t: string
  readonly s: string
  readonly u: string
  readonly w: string
}

export const EVENTS_PATH = '/docs/webhook-events'

export function searchIndex(document: OpenApi, guides: readonly Guide[]): SearchEntry[] {
  const resolve = resolver(document)
  const operations = operationsIn(document).map(
    ({ id, method, path, tag, summary, description = '', parameters, body, success }) => {
      const fields = [body?.schema, success.schema].flatMap((schema) =>
        schema === undefined ? [] : fieldsOf(schema, resolve),
      )
      const names = [...fields, ...parameters].map(({ name }) => name)
      const words = [id, description, ...new Set(names)].join(' ')
      return { t: summary, s: `${method} ${path.replace('/api/v1', '')}`, u: `/docs/${slugOf(tag)}#${id}`, w: words }
    },
  )
  const events = eventsIn(document).map(({ summary, description = '' }) => ({
    ...{ t: summary, s: 'Webhook event', u: `${EVENTS_PATH}#${summary}`, w: description },
  }))
  const pages = guides.flatMap(({ slug, title, headings, text }) => [
    { t: title, s: 'Guide', u: `/docs/${slug}`, w: words(text) },
    ...headings.map((heading) => ({ t: heading.text, s: `Guide: ${title}`, u: `/docs/${slug}#${heading.id}`, w: '' })),
  ])
  return [...pages, ...operations, ...events]
}

/** The different words of a text. */
function words(text: string): string {
  return [...new Set(text.toLowerCase().match(/[a-z][\w-]{2,}/g) ?? [])].join(' ')
}
