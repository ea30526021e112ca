import type { Database } from '../../storage/database.ts'
import type { StoredPage } from './queries/pages.ts'
import { ASSETS_PATH, stylesheetNamed } from './styles/stylesheets.ts'
import { targetOf } from './targets.ts'
import { pageInfoOf } from './views/page-info.ts'

export interface ExportOptions {
  readonly database: Database
  readonly page: StoredPage
  readonly baseUrl: string
  /** Where the copy will be served; replaces the URL of the page in absolute links. */
  readonly publicUrl: string | undefined
  readonly poweredBy: boolean
  readonly now: number
  /** Stands for the root in rendered links until they are made relative; must occur nowhere else. */
  readonly rootPlaceholder: string
}

export interface ExportedFile {
  /** Relative to the export folder, with slashes. */
  readonly name: string
  readonly text: string
}

/** Months of incident history to export. */
const HISTORY_MONTHS = 12

/** Resources that no page links to. */
const unlinked = ['/badge.svg', '/api/v2/status.json']

/**
 * Exports a page and everything linked from it as files for any static web server. Links are relative, and every HTML page
 * is the index.html of a folder.
 */
export async function* exportedFiles(options: ExportOptions): AsyncGenerator<ExportedFile> {
  const { page, now, rootPlaceholder } = options
  const { t } = pageInfoOf(page, options.baseUrl)
  const earliest = monthsBefore(t.dateOf(now).slice(0, 7), HISTORY_MONTHS - 1)
  const isIncluded = (path: string): boolean => (/^\/history\?month=(.+)$/.exec(path)?.[1] ?? earliest) >= earliest
  const paths = new Set(['/', ...unlinked])
  const stylesheets = new Set<string>()
  // Iterating a Set also visits the elements added during the iteration.
  for (const path of paths) {
    const text = await render(options, path)
    if (text === undefined) continue
    const name = fileOf(path)
    if (!name.endsWith('.html')) {
      // The feed contains incidents that are older than the exported history.
      if (name === 'feed.atom')
        for (const [, id] of text.matchAll(/\/incidents\/(\w+)"/g)) paths.add(`/incidents/${id}`)
      yield { name, text }
      continue
    }
    for (const link of linksIn(text, rootPlaceholder)) if (isIncluded(link)) paths.add(link)
    for (const [, id] of text.matchAll(/<a href="[^"]*\/monitors\/(\w+)">/g)) paths.add(`/monitors/${id}/badge.svg`)
    for (const [, file] of text.matchAll(stylesheetLink)) stylesheets.add(file as string)
    yield { name, text: withRelativeLinks(text, name, rootPlaceholder, isIncluded) }
  }
  for (const name of stylesheets) yield { name: `assets/${name}`, text: stylesheetNamed(name) ?? '' }
}

const stylesheetLink = new RegExp(`href="${ASSETS_PATH}/([\\w.-]+)"`, 'g')

async function render(options: ExportOptions, path: string) {
  const { database, page, baseUrl, publicUrl, now, rootPlaceholder, poweredBy } = options
  const [pathname = '', query] = path.split('?')
  const target = targetOf(pathname, new URLSearchParams(query))
  if (target === undefined) return undefined
  const renderTarget = await database.read(target.read(page, baseUrl, now))
  if (renderTarget === undefined) return undefined
  const text = String(
    renderTarget({ root: rootPlaceholder, staleMs: null, canMail: false, hasForms: false, poweredBy }),
  )
  return publicUrl === undefined ? text : text.replaceAll(pageUrlPattern(page, baseUrl), publicUrl)
}

/** Matches the URL of the page, but not the URL of another page that begins with it. */
function pageUrlPattern(page: StoredPage, baseUrl: string): RegExp {
  return new RegExp(`${RegExp.escape(pageInfoOf(page, baseUrl).url)}(?![\\w-])`, 'g')
}

function linksIn(text: string, rootPlaceholder: string): string[] {
  return [...text.matchAll(new RegExp(`href="${rootPlaceholder}([^"#]*)"`, 'g'))].map(([, path = '']) => path || '/')
}

/** The file name for a path: HTML pages become index.html of a folder, other files keep their name. */
function fileOf(path: string): string {
  const file = path.replace(/^\//, '').replace('history?month=', 'history/')
  if (/\.(atom|rss|ics|json|svg)$/.test(file)) return file
  return file === '' ? 'index.html' : `${file}/index.html`
}

/** Makes links relative to the file; a link to a page that is not exported becomes plain text. */
function withRelativeLinks(
  text: string,
  name: string,
  rootPlaceholder: string,
  isIncluded: (path: string) => boolean,
): string {
  const up = '../'.repeat(name.split('/').length - 1)
  const from = (file: string): string => `${up}${file.replace(/index\.html$/, '')}` || './'
  return text
    .replace(
      new RegExp(`<a [^>]*href="${rootPlaceholder}([^"]*)"[^>]*>(.*?)</a>`, 'gs'),
      (link, path: string, label: string) => (isIncluded(path) ? link : label),
    )
    .replace(
      new RegExp(`href="${rootPlaceholder}([^"#]*)`, 'g'),
      (_, path: string) => `href="${from(fileOf(path || '/'))}`,
    )
    .replace(stylesheetLink, (_, file: string) => `href="${from(`assets/${file}`)}"`)
}

function monthsBefore(month: string, count: number): string {
  return Temporal.PlainYearMonth.from(month).subtract({ months: count }).toString()
}
