/** A feed, calendar or JSON document of a page. */
export interface AlternateFormat {
  readonly href: string
  /** The media type. */
  readonly type: string
  readonly title: string
}

/** Linked from the head and the footer of every page, in this order. */
export function alternateFormatsOf(root: string): readonly AlternateFormat[] {
  return [
    { href: `${root}/feed.atom`, type: 'application/atom+xml', title: 'Atom' },
    { href: `${root}/feed.rss`, type: 'application/rss+xml', title: 'RSS' },
    { href: `${root}/maintenance.ics`, type: 'text/calendar', title: 'iCalendar' },
    { href: `${root}/api/v2/summary.json`, type: 'application/json', title: 'JSON' },
  ]
}
