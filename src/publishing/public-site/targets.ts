import type { DbWork } from '../../storage/query.ts'
import { type BadgeStyle, badgeSvg, monitorBadge, pageBadge } from './feeds/badge.ts'
import { calendar, calendarView } from './feeds/calendar.ts'
import { atomFeed, feedView, rssFeed } from './feeds/incident-feed.ts'
import { statusJson, summaryJson } from './feeds/summary-json.ts'
import type { SafeHtml } from './markup/html.ts'
import { dayPage, dayView } from './pages/day-page.ts'
import { historyPage, historyView, parseMonth } from './pages/history-page.ts'
import { incidentPage, incidentPageView } from './pages/incident-page.ts'
import { type RenderOptions, SUBSCRIBE_PATH } from './pages/layout.ts'
import { monitorPage, monitorPageView } from './pages/monitor-page.ts'
import { statusPage } from './pages/status-page.ts'
import { subscribePage, subscribePageView } from './pages/subscribe-page.ts'
import type { StoredPage } from './queries/pages.ts'
import { parseDate } from './views/iso-date.ts'
import { pageView } from './views/page-view.ts'

/** Renders data that was read before; called again later if no newer data can be read. */
export type Render = (options: RenderOptions) => string | SafeHtml

/** A resource of a status page: the page itself, a subpage, a feed, a badge. */
export interface Target {
  /** Cache key; the same for all URLs with the same content. */
  readonly key: string
  readonly type: string
  /** Adds `access-control-allow-origin: *` on public pages. */
  readonly allowsCrossOrigin?: boolean
  /** Undefined if this page has no such resource. */
  readonly read: (page: StoredPage, baseUrl: string, now: number) => DbWork<Render | undefined>
}

const HTML = 'text/html; charset=utf-8'

function target<V>(
  key: string,
  type: string,
  view: (page: StoredPage, baseUrl: string, now: number) => DbWork<V | undefined>,
  render: (view: V, options: RenderOptions) => string | SafeHtml,
): Target {
  return {
    key,
    type,
    *read(page, baseUrl, now) {
      const data = yield* view(page, baseUrl, now)
      return data === undefined ? undefined : (options) => render(data, options)
    },
  }
}

/** The status page itself. */
export const home = target('', HTML, pageView, statusPage)

const subscribe = target('s', HTML, subscribePageView, subscribePage)

/** Routes a path below the root of a page; undefined if nothing is there. */
export function targetOf(path: string, query: URLSearchParams): Target | undefined {
  if (path === '' || path === '/') return home
  if (path === SUBSCRIBE_PATH) return subscribe
  return feeds.get(path) ?? badge(path, query) ?? subpage(path, query)
}

function subpage(path: string, query: URLSearchParams): Target | undefined {
  const [folder = '', id, ...more] = path.replace(/^\//, '').split('/')
  if (more.length > 0) return undefined
  if (id === undefined) return folder === 'history' ? history(query) : undefined
  if (folder === 'days') return day(id)
  if (!/^\w{1,64}$/.test(id)) return undefined
  if (folder === 'incidents') {
    return target(`i ${id}`, HTML, (page, baseUrl, now) => incidentPageView(page, baseUrl, id, now), incidentPage)
  }
  if (folder === 'monitors') {
    return target(`m ${id}`, HTML, (page, baseUrl, now) => monitorPageView(page, baseUrl, id, now), monitorPage)
  }
  return undefined
}

function day(text: string): Target | undefined {
  const date = parseDate(text)
  return date === undefined
    ? undefined
    : target(`d ${date}`, HTML, (page, url, now) => dayView(page, url, date, now), dayPage)
}

function history(query: URLSearchParams): Target | undefined {
  const text = query.get('month')
  const month = text === null ? undefined : parseMonth(text)
  if (text !== null && month === undefined) return undefined
  return target(`h ${month ?? ''}`, HTML, (page, url, now) => historyView(page, url, month, now), historyPage)
}

const JSON_TYPE = 'application/json; charset=utf-8'

const feeds: ReadonlyMap<string, Target> = new Map([
  ['/feed.atom', target('atom', 'application/atom+xml; charset=utf-8', feedView, atomFeed)],
  ['/feed.rss', target('rss', 'application/rss+xml; charset=utf-8', feedView, rssFeed)],
  ['/maintenance.ics', target('ics', 'text/calendar; charset=utf-8', calendarView, calendar)],
  ['/api/v2/summary.json', crossOrigin(target('summary', JSON_TYPE, pageView, summaryJson))],
  ['/api/v2/status.json', crossOrigin(target('status', JSON_TYPE, pageView, statusJson))],
])

function crossOrigin(readable: Target): Target {
  return { ...readable, allowsCrossOrigin: true }
}

const SVG = 'image/svg+xml; charset=utf-8'

/** The badge of a page, or of one of its monitors. */
function badge(path: string, query: URLSearchParams): Target | undefined {
  const match = /^(?:\/monitors\/(\w{1,64}))?\/badge\.svg$/.exec(path)
  if (match === null) return undefined
  const [, id] = match
  const style: BadgeStyle = query.get('style') === 'flat-square' ? 'flat-square' : 'flat'
  const key = `badge ${style}`
  if (id === undefined) return crossOrigin(target(key, SVG, pageView, (view) => badgeSvg(pageBadge(view), style)))
  const view = (page: StoredPage, baseUrl: string, now: number) => monitorBadge(page, baseUrl, id, now)
  return crossOrigin(target(`${key} ${id}`, SVG, view, (content) => badgeSvg(content, style)))
}
