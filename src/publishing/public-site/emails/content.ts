import { parseStored } from '../../../lib/json.ts'
import { truncate } from '../../../lib/text.ts'
import { isoTimestamp, isoTimestampOrNull } from '../../../lib/timestamp.ts'
import type { NoticeTopic } from '../../../notifications/subscribers/types.ts'
import type { Tone } from '../../../outbound/email-layout.ts'
import { type EmailSubject, requestedSubject } from '../../../outbound/email-subject.ts'
import { type DbWork, execute, q } from '../../../storage/query.ts'
import type { PageKey } from '../../custom-domains/claims.ts'
import type { DomainRules } from '../../custom-domains/served.ts'
import type { PublishedRow } from '../../published-incidents/render.ts'
import type { Affected } from '../../published-incidents/schema.ts'
import type { Translator } from '../languages/translator.ts'
import { type HtmlValue, html, type SafeHtml } from '../markup/html.ts'
import { markdown } from '../markup/markdown.ts'
import { incidentOf, type UpdateRow } from '../queries/incidents.ts'
import { pageWithKey } from '../queries/pages.ts'
import { displayNamesOn, type PageInfo, pageInfoOf } from '../views/page-info.ts'

/** Names beyond this number are only counted. */
const MAX_NAMES = 20

/** The part of a message that is the same for all recipients and kinds. */
export interface NoticeContent {
  readonly subject: EmailSubject
  readonly title: string
  readonly state: { readonly tone: Tone; readonly word: string }
  /** Impact, time, duration. */
  readonly facts: readonly string[]
  /** What the author wrote, as plain text and as HTML. */
  readonly messages: readonly { readonly heading?: string; readonly text: string; readonly html: HtmlValue }[]
  readonly affected: string | null
  readonly link: string
  readonly linkText: string
  /** What a webhook gets besides page, text and links. */
  readonly json: object
}

export interface PageContext {
  readonly page: PageInfo
  readonly t: Translator
  readonly names: ReadonlyMap<string, string>
}

export function* readContext(pageKey: PageKey, rules: DomainRules): DbWork<PageContext | undefined> {
  const row = yield* pageWithKey(pageKey, rules)
  if (row?.published !== 1) return undefined
  const page = pageInfoOf(row, rules.baseUrl)
  if (!page.subscribersEnabled) return undefined
  return { page, t: page.t, names: yield* displayNamesOn(row) }
}

export function* contentOf(
  pageKey: PageKey,
  topic: NoticeTopic,
  context: PageContext,
): DbWork<NoticeContent | undefined> {
  return topic.kind === 'incident'
    ? yield* incidentContent(pageKey, topic, context)
    : yield* maintenanceContent(pageKey, topic, context)
}

const impactTones = { NONE: 'neutral', MINOR: 'degraded', MAJOR: 'down', CRITICAL: 'down' } as const

const MAX_NAME_LENGTH = 60

function noticeSubject(page: string, state: string, name: string): EmailSubject {
  return requestedSubject(`[${truncate(page, MAX_NAME_LENGTH)}] ${state}: ${truncate(name, MAX_NAME_LENGTH)}`)
}

function* incidentContent(
  pageKey: PageKey,
  { publishedId, updateId }: Extract<NoticeTopic, { kind: 'incident' }>,
  { page, t, names }: PageContext,
): DbWork<NoticeContent | undefined> {
  const found = yield* incidentWithUpdate(pageKey, publishedId, updateId)
  if (found === undefined) return undefined
  const { incident, update } = found
  const state = t.text(`incident_${update.status}`)
  const postmortem = updateId === null ? incident.postmortem : null
  const affected = namesOf(
    (parseStored(update.affected) as Affected[]).map(({ monitorId }) => monitorId),
    names,
  )
  const link = `${page.url}/incidents/${publishedId}`
  const isResolved = update.status === 'RESOLVED'
  const durationMs = (incident.resolved_at ?? update.published_at) - incident.started_at
  return {
    subject: noticeSubject(page.name, state, incident.title),
    title: incident.title,
    state: { tone: isResolved ? 'up' : impactTones[incident.impact as keyof typeof impactTones], word: state },
    facts: [
      t.text(`impact_${incident.impact}`),
      t.zonedMoment(update.published_at),
      ...(isResolved && durationMs > 0 ? [t.duration(durationMs)] : []),
    ],
    messages: [
      { text: update.message, html: markdown(update.message, 2) },
      ...(postmortem === null
        ? []
        : [{ heading: t.text('postmortem'), text: postmortem, html: markdown(postmortem, 2) }]),
    ],
    affected: affectedText(affected, t),
    link,
    linkText: t.text('mailDetails'),
    json: {
      type: 'incident',
      state: update.status,
      incident: {
        id: publishedId,
        title: incident.title,
        impact: incident.impact,
        startedAt: isoTimestamp(incident.started_at),
        resolvedAt: isoTimestampOrNull(incident.resolved_at),
        affected: affected.slice(0, MAX_NAMES),
        postmortem,
      },
      update: { id: update.id, message: update.message, publishedAt: isoTimestamp(update.published_at) },
    },
  }
}

/** An incident with one of its updates, by default the latest; undefined if it is no longer on the page. */
function* incidentWithUpdate(
  pageKey: PageKey,
  publishedId: string,
  updateId: string | null,
): DbWork<{ readonly incident: PublishedRow; readonly update: UpdateRow } | undefined> {
  const incident = yield* incidentOf(pageKey, publishedId)
  const updates = q
    .selectFrom('published_incident_updates')
    .selectAll()
    .where('org_id', '=', pageKey.orgId)
    .where('published_id', '=', publishedId)
  const [update] = yield* execute(
    updateId === null ? updates.orderBy('number', 'desc').limit(1) : updates.where('id', '=', updateId),
  )
  return incident && update && { incident, update }
}

const maintenanceStates = {
  scheduled: 'SCHEDULED',
  started: 'IN_PROGRESS',
  completed: 'COMPLETED',
  cancelled: 'CANCELLED',
} as const

const maintenanceTones = {
  scheduled: 'maintenance',
  started: 'maintenance',
  completed: 'up',
  cancelled: 'neutral',
} as const

function* maintenanceContent(
  { orgId }: PageKey,
  topic: Extract<NoticeTopic, { kind: 'maintenance' }>,
  { page, t, names }: PageContext,
): DbWork<NoticeContent> {
  const { change, windowId, name, description, startsAt, endsAt } = topic
  const changeText = t.text(`maintenance_${change}`)
  const affected = namesOf(yield* monitorsCoveredBy(orgId, windowId), names)
  return {
    subject: noticeSubject(page.name, changeText, name),
    title: name,
    state: { tone: maintenanceTones[change], word: changeText },
    facts: [t.zonedRange(startsAt, endsAt), t.duration(endsAt - startsAt)],
    messages: description === null ? [] : [{ text: description, html: plainParagraph(description) }],
    affected: affectedText(affected, t),
    link: page.url,
    linkText: t.text('open'),
    json: {
      type: 'maintenance',
      state: maintenanceStates[change],
      maintenance: {
        id: windowId,
        name,
        startsAt: isoTimestamp(startsAt),
        endsAt: isoTimestamp(endsAt),
        affected: affected.slice(0, MAX_NAMES),
      },
      update: { id: null, message: description ?? '', publishedAt: null },
    },
  }
}

/** The ids of the monitors listed in a window; empty if it covers all monitors or was deleted. */
function* monitorsCoveredBy(orgId: string, windowId: string): DbWork<readonly string[]> {
  const covered = yield* execute(
    q
      .selectFrom('maintenance_monitors as c')
      .innerJoin('monitors as m', (on) => on.onRef('m.num', '=', 'c.num').onRef('m.org_id', '=', 'c.org_id'))
      .select('m.id')
      .where('c.org_id', '=', orgId)
      .where('c.window_id', '=', windowId),
  )
  return covered.map(({ id }) => id)
}

/** Maintenance descriptions are plain text; line breaks are kept. */
function plainParagraph(text: string): SafeHtml {
  return html`<p style="white-space:pre-line">${text}</p>`
}

/** Uses the display names of the page; monitors that are not on the page are left out. */
function namesOf(ids: readonly string[], names: PageContext['names']): readonly string[] {
  return ids.flatMap((id) => names.get(id) ?? [])
}

function affectedText(affected: readonly string[], t: Translator): string | null {
  if (affected.length === 0) return null
  const list = t.list(affected.slice(0, MAX_NAMES))
  const rest = affected.length - MAX_NAMES
  return t.text('affects', { list: rest > 0 ? t.counted('andMore', rest, { list }) : list })
}
