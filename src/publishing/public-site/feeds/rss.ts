import type { SafeHtml } from '../markup/html.ts'
import { htmlSource, xml } from '../markup/xml.ts'
import type { Entry, FeedView } from './incident-feed.ts'

/** RSS 2.0. */
export function rssFeed({ page, t, updatedAt, entries }: FeedView): SafeHtml {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${page.name}</title>
<link>${page.url}</link>
<description>${page.description ?? page.name}</description>
<language>${t.locale}</language>
<lastBuildDate>${rfc822Date(updatedAt)}</lastBuildDate>
<generator>Pharos</generator>
<atom:link rel="self" type="application/rss+xml" href="${page.url}/feed.rss"/>
${entries.map(itemOf)}</channel>
</rss>
`
}

function itemOf({ id, title, link, publishedAt, content }: Entry): SafeHtml {
  return xml`<item>
<guid isPermaLink="false">${id}</guid>
<title>${title}</title>
<link>${link}</link>
<pubDate>${rfc822Date(publishedAt)}</pubDate>
<description>${htmlSource(content())}</description>
</item>
`
}

/** RFC 822 with a four-digit year. */
function rfc822Date(at: number): string {
  return new Date(at).toUTCString()
}
