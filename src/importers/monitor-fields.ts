import { isIP } from 'node:net'
import type { Fields } from '../configuration/kinds/fields.ts'
import { parseHostAndPort } from '../lib/host.ts'
import { labelKey, MAX_LABEL_VALUE_CHARS, MAX_LABELS } from '../lib/selector.ts'
import { asciiWords } from '../publishing/status-pages/slug.ts'
import { bounded, boundedName, boundedText } from './bounds.ts'
import type { Collection, SourceObject } from './collection.ts'

/** What a job has to do if its old address is not served here. */
export const ADDRESS_CHANGES = 'The heartbeat address changes: let the job call the new address of the monitor.'

export const offeredMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
export const recordTypes = ['A', 'AAAA', 'CNAME', 'MX', 'TXT', 'NS']

/** A text as a part of a regular expression. */
export function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** The address of a DNS server. */
export function resolverAt(host: string, port = 53): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

export const FORM_TYPE = 'application/x-www-form-urlencoded'

/** The headers with a content type, unless they have one. */
export function withContentType(headers: Readonly<Record<string, string>>, type: string): Record<string, string> {
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  return hasType ? { ...headers } : { ...headers, 'Content-Type': type }
}

/** Adds a tag as a label, or a loss if it cannot be one. */
export function addLabel(labels: Record<string, string>, name: string, value: string, losses: string[]): void {
  const key = asciiWords(name).slice(0, 32).replace(/-+$/, '')
  const text = value
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_LABEL_VALUE_CHARS)
  const tag = value === '' ? name : `${name}: ${value}`
  const before = Object.hasOwn(labels, key) ? labels[key] : undefined
  if (!labelKey.test(key)) losses.push(`The tag "${tag}" is lost: a label begins with a letter.`)
  else if (before !== undefined && before !== text) {
    losses.push(`The tag "${tag}" is lost: a label has one value, and ${key} is "${before}".`)
  } else if (Object.keys(labels).length >= MAX_LABELS && before === undefined) {
    losses.push(`The tag "${tag}" is lost: a monitor has at most ${MAX_LABELS} labels.`)
  } else labels[key] = text
}

const MAX_NOTE_CHARS = 4000

export function notesFrom(text: string, losses: string[]): { notes?: Fields } {
  return text === '' ? {} : { notes: { text: boundedText(text, MAX_NOTE_CHARS, 'description', losses) } }
}

/** A group becomes the label `group`, and a tag a label: `env:prod` is `env=prod`, and `prod` has no value. */
export function labelsFrom(tags: readonly string[], group: string, losses: string[]): { labels?: Fields } {
  const labels: Record<string, string> = {}
  if (group !== '') addLabel(labels, 'group', group, losses)
  for (const tag of tags) {
    const [name = '', ...value] = tag.split(/[:=]/)
    addLabel(labels, name, value.join(':'), losses)
  }
  return Object.keys(labels).length > 0 ? { labels } : {}
}

/**
 * Adds a monitor beside that of an object whose checks are several monitors here. `what` says what it checks: "The expiry of its
 * domain is".
 */
export function addFurther(
  collection: Collection,
  object: SourceObject,
  suffix: string,
  fields: Fields,
  what: string,
  losses: string[],
): void {
  const name = boundedName(`${object.name.slice(0, 100)} (${suffix})`, suffix, losses)
  const saved = collection.save(
    'monitors',
    { sourceId: `${object.sourceId}-${suffix}`, name },
    { name, ...fields },
    losses,
  )
  losses.push('key' in saved ? `${what} checked by a monitor of its own: monitors.${saved.key}.` : saved.reason)
}

/** The expiry of a domain is a check of its own here. Other tools have it as an option of a web check. */
export function addDomainMonitor(
  collection: Collection,
  object: SourceObject,
  url: string,
  days: number,
  losses: string[],
): void {
  const host = parseHostAndPort(url)?.host ?? ''
  if (host === '' || isIP(host) !== 0) return
  const sslExpiryThresholdDays = bounded('sslExpiryThresholdDays', days, losses)
  const fields = { type: 'DOMAIN', url: host, sslExpiryThresholdDays, intervalSeconds: 86_400 }
  addFurther(collection, object, 'domain', fields, 'The expiry of its domain is', losses)
}
