import type { Database } from '../../storage/database.ts'
import { translatorFor } from './languages/translator.ts'
import type { StoredPage } from './queries/pages.ts'
import { ASSETS_PATH, stylesheetNamed } from './styles/stylesheets.ts'
import { targetOf } from './targets.ts'
import { pageInfoOf } from './views/page-view.ts'

export interface ExportOptions {
  readonly database: Database
  readonly page: StoredPage
  /** Where this installation is. */
  readonly baseUrl: string
  /** Where the copy will be: in place of the page's own address, wherever a link has to be a whole one. */
  readonly publicUrl: string | undefined
  readonly now: number
  /** Text that stands in nothing that people wrote. */
  readonly mark: string
}

export interface ExportedFile {
  /** Below the folder, with slashes. */
  readonly name: string
  readonly text: string
}

/** Months of history that are in a copy. */
const MONTHS = 12

/** What no page links to. */
const unlinked = ['/badge.svg', '/api/v2/status.json']

/**
 * A page as files that any web server can serve, one after the other: everything that can be reached from the page, with
 * links that are relative, each page as the index of a folder.
 */
export async function* exportedFiles(options: ExportOptions): AsyncGenerator<ExportedFile> {
  const { page, now, mark } = options
  const { locale, timezone } = pageInfoOf(page, options.baseUrl)
  const earliest = monthsBefore(translatorFor(locale, timezone).dateOf(now).slice(0, 7), MONTHS - 1)
  const isIncluded = (path: string): boolean => (/^\/history\?month=(.+)$/.exec(path)?.[1] ?? earliest) >= earliest
  const waiting = new Set(['/', ...unlinked])
  const sheets = new Set<string>()
  // A set that grows while it is gone through is gone through to its new end.
  for (const path of waiting) {
    const text = await rendered(options, path)
    if (text === undefined) continue
    const name = fileOf(path)
    if (!name.endsWith('.html')) {
      // A feed reaches further back than the history does.
      if (name === 'feed.atom')
        for (const [, id] of text.matchAll(/\/incidents\/(\w+)"/g)) waiting.add(`/incidents/${id}`)
      yield { name, text }
      continue
    }
    for (const link of linksIn(text, mark)) if (isIncluded(link)) waiting.add(link)
    for (const [, id] of text.matchAll(/<a href="[^"]*\/monitors\/(\w+)">/g)) waiting.add(`/monitors/${id}/badge.svg`)
    for (const [, renderLayout] of text.matchAll(sheetLink)) sheets.add(renderLayout as string)
    yield { name, text: relative(text, name, mark, isIncluded) }
  }
  for (const name of sheets) yield { name: `assets/${name}`, text: stylesheetNamed(name) ?? '' }
}

const sheetLink = new RegExp(`href="${ASSETS_PATH}/([\\w.-]+)"`, 'g')

async function rendered({ database, page, baseUrl, publicUrl, now, mark }: ExportOptions, path: string) {
  const [pageKey = '', query] = path.split('?')
  const target = targetOf(pageKey, new URLSearchParams(query))
  if (target === undefined) return undefined
  const render = await database.read(target.read(page, baseUrl, now))
  if (render === undefined) return undefined
  const text = String(render({ root: mark, staleMs: null, canMail: false }))
  return publicUrl === undefined ? text : text.replaceAll(wholeAddress(page, baseUrl), publicUrl)
}

/** The page's own address, and not the beginning of another page's. */
function wholeAddress(page: StoredPage, baseUrl: string): RegExp {
  return new RegExp(`${RegExp.escape(pageInfoOf(page, baseUrl).url)}(?![\\w-])`, 'g')
}

function linksIn(text: string, mark: string): string[] {
  return [...text.matchAll(new RegExp(`href="${mark}([^"#]*)"`, 'g'))].map(([, path = '']) => path || '/')
}

/** Where what is at a path stands: a page is the index of a folder, everything else is called what it is called. */
function fileOf(path: string): string {
  const stripControls = path.replace(/^\//, '').replace('history?month=', 'history/')
  if (/\.(atom|rss|ics|json|svg)$/.test(stripControls)) return stripControls
  return stripControls === '' ? 'index.html' : `${stripControls}/index.html`
}

/** The text with links that lead from its own place; one to what is left out is only its words. */
function relative(text: string, name: string, mark: string, isIncluded: (path: string) => boolean): string {
  const up = '../'.repeat(name.split('/').length - 1)
  const from = (file: string): string => `${up}${file.replace(/index\.html$/, '')}` || './'
  return text
    .replace(new RegExp(`<a [^>]*href="${mark}([^"]*)"[^>]*>(.*?)</a>`, 'gs'), (link, path: string, words: string) =>
      isIncluded(path) ? link : words,
    )
    .replace(new RegExp(`href="${mark}([^"#]*)`, 'g'), (_, path: string) => `href="${from(fileOf(path || '/'))}`)
    .replace(sheetLink, (_, renderLayout: string) => `href="${from(`assets/${renderLayout}`)}"`)
}

function monthsBefore(month: string, count: number): string {
  return Temporal.PlainYearMonth.from(month).subtract({ months: count }).toString()
}
