import { isoTimestamp } from '../../../lib/timestamp.ts'
import type { Translator } from '../languages/translator.ts'
import { html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { xml } from '../markup/xml.ts'
import { incidentsStarted } from '../queries/incidents.ts'
import type { StoredPage } from '../queries/pages.ts'
import { type IncidentView, incidentViews } from '../views/incident-views.ts'
import { displayNamesOn, pageInfoOf, type ViewOf } from '../views/page-info.ts'

type FeedView = ViewOf<typeof feedView>

interface Entry {
  readonly id: string
  readonly title: string
  readonly link: string
  readonly publishedAt: number
  readonly updatedAt: number
  /** Renders Markdown. HTML as text, which feeds embed escaped. */
  readonly content: () => string
}

const MAX_ENTRIES = 25
/** Per incident; the incident's own page shows all updates. */
const MAX_UPDATES = 10

/** The latest published incidents of a page, active and resolved. */
export function* feedView(row: StoredPage, baseUrl: string, now: number) {
  const page = pageInfoOf(row, baseUrl)
  const { key, t } = page
  const rows = (yield* incidentsStarted(key, 0, now + 1)).slice(0, MAX_ENTRIES)
  const names = yield* displayNamesOn(row)
  const incidents = yield* incidentViews(key.orgId, rows, names, MAX_UPDATES + 1)
  const tag = tagOf(row, baseUrl)
  const entries = incidents.map(
    (incident): Entry => ({
      id: `${tag}:${incident.id}`,
      title: incident.title,
      link: `${page.url}/incidents/${incident.id}`,
      publishedAt: incident.startedAt,
      updatedAt: incident.updatedAt,
      content: () => String(contentOf(incident, `${page.url}/incidents/${incident.id}`, t)),
    }),
  )
  // Last changed first, because some readers only look at the first entries.
  entries.sort((a, b) => b.updatedAt - a.updatedAt)
  return {
    page,
    /** Permanent id of the feed. */
    id: `${tag}:${row.id}`,
    /** The latest change of the page or of any entry. */
    updatedAt: Math.max(row.updated_at, ...entries.map(({ updatedAt }) => updatedAt)),
    entries,
  }
}

/** A tag URI (RFC 4151) of the host and the day on which the page was created. */
function tagOf(row: StoredPage, baseUrl: string): string {
  return `tag:${new URL(baseUrl).hostname},${new Date(row.created_at).toISOString().slice(0, 10)}`
}

function contentOf(incident: IncidentView, link: string, t: Translator): SafeHtml {
  const { updates, postmortem, impact, affected } = incident
  const names = affected.map(({ name }) => name)
  return html`<p>${t.text(`impact_${impact}`)}</p>${
    names.length > 0 && html`<p>${t.text('affects', { list: t.list(names) })}</p>`
  }${
    postmortem !== null && html`<h2>${t.text('postmortem')}</h2>${markdown(postmortem, 2)}<h2>${t.text('updates')}</h2>`
  }${updates
    .slice(0, MAX_UPDATES)
    .map(
      ({ state, message, publishedAt }) =>
        html`<p><strong>${t.text(`incident_${state}`)}</strong> <small>${t.zonedMoment(publishedAt)}</small></p>${markdown(message, 2)}`,
    )}${updates.length > MAX_UPDATES && html`<p><a href="${link}">${t.text('allUpdates')}</a></p>`}`
}

/** RFC 4287. */
export function atomFeed({ page, id, updatedAt, entries }: FeedView): SafeHtml {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${page.t.locale}">
<id>${id}</id>
<title>${page.name}</title>
${page.description !== null && xml`<subtitle>${page.description}</subtitle>`}
<updated>${isoTimestamp(updatedAt)}</updated>
<author><name>${page.name}</name></author>
<link rel="self" type="application/atom+xml" href="${page.url}/feed.atom"/>
<link rel="alternate" type="text/html" href="${page.url}"/>
<generator>Pharos</generator>
${entries.map(atomEntry)}</feed>
`
}

function atomEntry({ id, title, link, publishedAt, updatedAt, content }: Entry): SafeHtml {
  return xml`<entry>
<id>${id}</id>
<title>${title}</title>
<published>${isoTimestamp(publishedAt)}</published>
<updated>${isoTimestamp(updatedAt)}</updated>
<link rel="alternate" type="text/html" href="${link}"/>
<content type="html">${content()}</content>
</entry>
`
}

/** RSS 2.0. */
export function rssFeed({ page, updatedAt, entries }: FeedView): SafeHtml {
  return xml`<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${page.name}</title>
<link>${page.url}</link>
<description>${page.description ?? page.name}</description>
<language>${page.t.locale}</language>
<lastBuildDate>${rfc822Date(updatedAt)}</lastBuildDate>
<generator>Pharos</generator>
<atom:link rel="self" type="application/rss+xml" href="${page.url}/feed.rss"/>
${entries.map(rssItem)}</channel>
</rss>
`
}

function rssItem({ id, title, link, publishedAt, content }: Entry): SafeHtml {
  return xml`<item>
<guid isPermaLink="false">${id}</guid>
<title>${title}</title>
<link>${link}</link>
<pubDate>${rfc822Date(publishedAt)}</pubDate>
<description>${content()}</description>
</item>
`
}

/** RFC 822 with a four-digit year. */
function rfc822Date(at: number): string {
  return new Date(at).toUTCString()
}
