import { oneLine, stripControls } from '../../../lib/text.ts'
import { isoTimestamp } from '../../../lib/timestamp.ts'
import { escapeSlackText } from '../../../notifications/contacts/channels/slack.ts'
import type { PendingSubscriber } from '../../../notifications/subscribers/types.ts'
import { cleanName } from '../../../outbound/email-subject.ts'
import type { NoticeContent, PageContext } from './content.ts'

interface NoticeLinks {
  /** The same when the message is sent again. */
  readonly id: string
  readonly sentAt: number
  readonly unsubscribe: string
}

/** The JSON of an incident or maintenance. Documented in docs/status-pages.md. */
export function webhookNotice(
  { json, title, state, link }: NoticeContent,
  { page }: PageContext,
  { id, sentAt, unsubscribe }: NoticeLinks,
): object {
  return {
    id,
    createdAt: isoTimestamp(sentAt),
    page: pageJson(page),
    ...json,
    text: `[${oneLine(page.name)}] ${state.word}: ${oneLine(title)}`,
    link,
    unsubscribeUrl: unsubscribe,
  }
}

function pageJson({ id, name, url }: PageContext['page']) {
  return { id, name, url }
}

export function webhookConfirmation(
  { id, confirmBy }: PendingSubscriber,
  { page, t }: PageContext,
  link: string,
): object {
  return {
    id: `${id}.${confirmBy}`,
    type: 'confirmation',
    page: pageJson(page),
    text: t.text('endpointConfirmText', { name: cleanName(page.name) }),
    confirmUrl: link,
    expiresAt: isoTimestamp(confirmBy),
  }
}

/** Slack's limits for the text of a header and of a section. */
const MAX_HEADER = 150
const MAX_SECTION = 3000

const escaped = (text: string, max: number): string => escapeSlackText(stripControls(text), max)

function slackLink(href: string, text: string): string {
  return `<${escapeSlackText(href)}|${escapeSlackText(stripControls(oneLine(text))).replaceAll('|', '¦')}>`
}

const section = (text: string) => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } })
const context = (text: string) => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] })

function slackBody(text: string, blocks: readonly object[]): object {
  return { text: escaped(text, MAX_SECTION), unfurl_links: false, unfurl_media: false, blocks }
}

/** Text of the page is sent as plain text, so that it cannot mention people or hide links. */
export function slackNotice(notice: NoticeContent, { page, t }: PageContext, unsubscribe: string): object {
  const { title, state, facts, messages, affected, link, linkText } = notice
  const headline = `${state.word}: ${oneLine(title)}`
  const texts = messages.flatMap(({ heading, text }) =>
    text.trim() === '' ? [] : [...(heading ? [heading] : []), text],
  )
  const unsubscribeLink = slackLink(unsubscribe, t.text('unsubscribe'))
  return slackBody(`[${oneLine(page.name)}] ${headline}`, [
    { type: 'header', text: { type: 'plain_text', text: escaped(headline, MAX_HEADER), emoji: false } },
    section(escaped([oneLine(page.name), ...facts].join(' · '), MAX_SECTION)),
    ...texts.map((text) => section(escaped(text, MAX_SECTION))),
    ...(affected === null ? [] : [section(escaped(oneLine(affected), MAX_SECTION))]),
    context(`${slackLink(link, linkText)} · ${unsubscribeLink}`),
  ])
}

export function slackConfirmation({ page, t }: PageContext, link: string): object {
  const text = t.text('endpointConfirmText', { name: cleanName(page.name) })
  return slackBody(text, [section(escaped(text, MAX_SECTION)), context(slackLink(link, t.text('confirmTitle')))])
}
