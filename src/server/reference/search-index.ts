import { fieldsOf } from './fields.ts'
import type { Guide } from './guides.ts'
import { DOCS_PATH, EVENTS_PATH } from './layout.ts'
import { type Model, slugOf } from './model.ts'

/** What the search finds. Short names, because the index is downloaded: title, subtitle, address, further words. */
export interface SearchEntry {
  readonly t: string
  readonly s: string
  readonly u: string
  readonly w: string
}

export function searchIndex({ operations, events, resolve }: Model, guides: readonly Guide[]): SearchEntry[] {
  const operationEntries = operations.map(
    ({ id, method, path, tag, summary, description = '', parameters, body, success }) => {
      const fields = [body?.schema, success.schema].flatMap((schema) =>
        schema === undefined ? [] : fieldsOf(schema, resolve),
      )
      const names = [...fields, ...parameters].map(({ name }) => name)
      const words = [id, description, ...new Set(names)].join(' ')
      return {
        t: summary,
        s: `${method} ${path.replace('/api/v1', '')}`,
        u: `${DOCS_PATH}/${slugOf(tag)}#${id}`,
        w: words,
      }
    },
  )
  const eventEntries = events.map(({ summary, description = '' }) => ({
    t: summary,
    s: 'Webhook event',
    u: `${EVENTS_PATH}#${summary}`,
    w: description,
  }))
  const pages = guides.flatMap(({ slug, title, headings, text }) => [
    { t: title, s: 'Guide', u: `${DOCS_PATH}/${slug}`, w: words(text) },
    ...headings.map(({ id, text: heading }) => {
      return { t: heading, s: `Guide: ${title}`, u: `${DOCS_PATH}/${slug}#${id}`, w: '' }
    }),
  ])
  return [...pages, ...operationEntries, ...eventEntries]
}

/** The different words of a text. */
function words(text: string): string {
  return [...new Set(text.toLowerCase().match(/[a-z][\w-]{2,}/g) ?? [])].join(' ')
}
