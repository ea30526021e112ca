import type { Work } from '../storage/query.ts'
import { historyPage, historyView, monthIn } from './history-page.ts'
import type { SafeHtml } from './html.ts'
import { incidentPage, incidentPageView } from './incident-page.ts'
import type { Look } from './layout.ts'
import { monitorPage, monitorPageView } from './monitor-page.ts'
import type { FoundPage } from './queries.ts'
import { statusPage } from './status-page.ts'
import { pageView } from './view.ts'

/** Draws what was read, as often as it is asked to: also later, when nothing newer can be read. */
export type Draw = (look: Look) => string | SafeHtml

/** Something below a status page that can be asked for. */
export interface Target {
  /** The same for all addresses that show the same. */
  readonly key: string
  readonly type: string
  /** Undefined where this page has no such thing. */
  readonly read: (page: FoundPage, baseUrl: string, now: number) => Work<Draw | undefined>
}

const HTML = 'text/html; charset=utf-8'

function target<V>(
  key: string,
  type: string,
  view: (page: FoundPage, baseUrl: string, now: number) => Work<V | undefined>,
  draw: (view: V, look: Look) => string | SafeHtml,
): Target {
  return {
    key,
    type,
    *read(page, baseUrl, now) {
      const read = yield* view(page, baseUrl, now)
      return read === undefined ? undefined : (look) => draw(read, look)
    },
  }
}

/** The page itself. */
export const home = target('', HTML, pageView, statusPage)

/** What a path below a page's root names, by the number of its parts; undefined where there is nothing. */
export function targetOf(path: string, query: URLSearchParams): Target | undefined {
  const [folder = '', id, ...more] = path.replace(/^\//, '').split('/')
  if (more.length > 0) return undefined
  if (id === undefined) return folder === '' ? home : folder === 'history' ? history(query) : undefined
  if (!/^\w{1,64}$/.test(id)) return undefined
  if (folder === 'incidents') {
    return target(`i ${id}`, HTML, (page, baseUrl, now) => incidentPageView(page, baseUrl, id, now), incidentPage)
  }
  if (folder === 'monitors') {
    return target(`m ${id}`, HTML, (page, baseUrl, now) => monitorPageView(page, baseUrl, id, now), monitorPage)
  }
  return undefined
}

function history(query: URLSearchParams): Target | undefined {
  const asked = query.get('month')
  const month = asked === null ? undefined : monthIn(asked)
  if (asked !== null && month === undefined) return undefined
  return target(`h ${month ?? ''}`, HTML, (page, url, now) => historyView(page, url, month, now), historyPage)
}
