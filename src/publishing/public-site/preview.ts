import type { DbWork } from '../../storage/query.ts'
import { NO_CACHING, securityHeaders } from './http/headers.ts'
import { localTimeScript } from './markup/local-time.ts'
import { renderInSteps } from './markup/markdown.ts'
import { statusPage } from './pages/status-page.ts'
import type { StoredPage } from './queries/pages.ts'
import type { PageInfo } from './views/page-info.ts'
import { pageView } from './views/page-view.ts'

export interface PreviewOptions {
  readonly baseUrl: string
  /** Overrides the theme of the page. */
  readonly theme: PageInfo['theme'] | undefined
  readonly canMail: boolean
  readonly poweredBy: boolean
  readonly now: number
}

/**
 * Like the headers of a page, but allows framing by the dashboard. The sandbox disables forms and, because all links have
 * target=_blank, links.
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

/** Reads the page as visitors see it, even if it is not published; returns a function that renders it. */
export function* previewOf(
  page: StoredPage,
  { baseUrl, theme, now, ...options }: PreviewOptions,
): DbWork<() => Promise<string>> {
  const view = yield* pageView(page, baseUrl, now)
  const themed = theme === undefined ? view : { ...view, page: { ...view.page, theme } }
  return async () => {
    const html = await renderInSteps(() =>
      statusPage(themed, { root: `/status/${page.slug}`, staleMs: null, hasForms: true, ...options }),
    )
    // The sandbox runs no scripts, and browsers report each that they refuse.
    return String(html).replace(`${localTimeScript}`, '').replace('<head>', '<head>\n<base target="_blank">')
  }
}
