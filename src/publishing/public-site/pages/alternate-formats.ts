/** Another way to read a page: a feed, a calendar, a document for programs. */
export interface AlternateFormat {
  readonly href: string
  /** The media type. */
  readonly type: string
  readonly title: string
}

/**
 * Every other way to read a page, in the order in which they are offered. The head of the page names them for programs
 * and its foot for people; whoever adds a representation adds it here.
 */
export function alternateFormatsOf(root: string): readonly AlternateFormat[] {
  return [
    { href: `${root}/feed.atom`, type: 'application/atom+xml', title: 'Atom' },
    { href: `${root}/feed.rss`, type: 'application/rss+xml', title: 'RSS' },
    { href: `${root}/maintenance.ics`, type: 'text/calendar', title: 'iCalendar' },
    { href: `${root}/api/v2/summary.json`, type: 'application/json', title: 'JSON' },
  ]
}
