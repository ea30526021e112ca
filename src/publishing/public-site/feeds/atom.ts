import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { SafeHtml } from '../markup/html.ts'
import { htmlSource, xml } from '../markup/xml.ts'
import type { Entry, FeedView } from './incident-feed.ts'

/** RFC 4287. */
export function atomFeed({ page, t, id, updatedAt, entries }: FeedView): SafeHtml {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${t.locale}">
<id>${id}</id>
<title>${page.name}</title>
${page.description !== null && xml`<subtitle>${page.description}</subtitle>`}
<updated>${isoTimestamp(updatedAt)}</updated>
<author><name>${page.name}</name></author>
<link rel="self" type="application/atom+xml" href="${page.url}/feed.atom"/>
<link rel="alternate" type="text/html" href="${page.url}"/>
<generator>Pharos</generator>
${entries.map(entryOf)}</feed>
`
}

function entryOf({ id, title, link, publishedAt, updatedAt, content }: Entry): SafeHtml {
  return xml`<entry>
<id>${id}</id>
<title>${title}</title>
<published>${isoTimestamp(publishedAt)}</published>
<updated>${isoTimestamp(updatedAt)}</updated>
<link rel="alternate" type="text/html" href="${link}"/>
<content type="html">${htmlSource(content())}</content>
</entry>
`
}
