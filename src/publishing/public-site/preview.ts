import type { DbWork } from '../../storage/query.ts'
import { NO_CACHING, securityHeaders } from './http/headers.ts'
import { statusPage } from './pages/status-page.ts'
import type { StoredPage } from './queries/pages.ts'
import { type PageInfo, pageView } from './views/page-view.ts'

/** How a page is to be shown to those who work on it. */
export interface Preview {
  readonly baseUrl: string
  /** In place of the page's own. */
  readonly theme: PageInfo['theme'] | undefined
  readonly canMail: boolean
  readonly now: number
}

/**
 * What a preview is sent with: as a page is, but for a frame of the dashboard. In the sandbox nothing leads anywhere: forms are
 * not sent, and links, which all want a window of their own, get none.
 */
export const previewHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `${securityHeaders['content-security-policy']
    .replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    .replace("form-action 'self'", "form-action 'none'")}; sandbox`,
  'x-content-type-options': securityHeaders['x-content-type-options'],
  'referrer-policy': securityHeaders['referrer-policy'],
  'x-robots-tag': 'noindex',
  'cache-control': NO_CACHING,
}

/** The page itself as visitors see it, or would if it were published. */
export function* previewOf(page: StoredPage, { baseUrl, theme, canMail, now }: Preview): DbWork<string> {
  const view = yield* pageView(page, baseUrl, now)
  const themed = theme === undefined ? view : { ...view, page: { ...view.page, theme } }
  const rendered = statusPage(themed, { root: `/status/${page.slug}`, staleMs: null, canMail })
  return String(rendered).replace('<head>', '<head>\n<base target="_blank">')
}
