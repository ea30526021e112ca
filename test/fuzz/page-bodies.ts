import fc from 'fast-check'
import type { Described } from './schema.ts'
import { type JsonText, sound } from './values.ts'

/** Stand in a body for ids that are known when it is sent: so many of each there always are. */
const PLACES = 4

const json = (value: unknown): JsonText => JSON.stringify(value)
const one = (...values: readonly unknown[]): fc.Arbitrary<JsonText> => fc.constantFrom(...values.map(json))
export const places = (kind: 'monitor' | 'page', minLength: number) =>
  fc.subarray(
    Array.from({ length: PLACES }, (_, i) => `@${kind}:${i}@`),
    { minLength },
  )

/** Puts ids in the place of what stands for them. */
export function filled(body: string, ids: { readonly monitor: readonly string[]; readonly page: readonly string[] }) {
  return body.replace(/@(monitor|page):(\d)@/g, (whole, kind: 'monitor' | 'page', n) => ids[kind][Number(n)] ?? whole)
}

const address = fc.webPath().map((path) => json(`https://a.example/${encodeURI(path).slice(0, 200)}`))
const orNull = (value: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> => fc.oneof(value, fc.constant('null'))
const unique = fc.uuid({ version: 4 })

const section = fc
  .tuple(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
    places('monitor', 0),
    fc.constantFrom(null, 'Shown'),
  )
  .map(([name, ids, displayName]) => ({ name, monitors: ids.map((monitorId) => ({ monitorId, displayName })) }))

/** What a page's fields must keep to beyond their schemas. Names on the installation are drawn so that none comes twice. */
const pageRules = {
  slug: unique.map(json),
  customDomain: orNull(unique.map((text) => json(`${text}.example`))),
  password: one('long enough', '😀'.repeat(8), 'x'.repeat(128)),
  logoUrl: orNull(address),
  faviconUrl: orNull(address),
  homepageUrl: orNull(address),
  contactUrl: orNull(address),
  accentColor: orNull(one('#000000', '#ABCDEF')),
  timezone: one('UTC', 'Europe/Berlin', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'),
  sections: fc.array(section, { maxLength: 3 }).map(json),
}

const affected = fc
  .tuple(places('monitor', 0), fc.constantFrom('OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'))
  .map(([ids, status]) => json(ids.map((monitorId) => ({ monitorId, status }))))

const publishedRules = {
  statusPageIds: places('page', 1).map(json),
  affectedMonitors: affected,
  incidentId: fc.constant('null'),
  // Before anything here is resolved.
  startedAt: one('2020-02-29T12:00:00.000Z', '1999-12-31T23:59:59.999Z'),
}

type Rules = Readonly<Record<string, fc.Arbitrary<JsonText>>>

/** Some of the rules, as a change names some of the fields. */
function someOf(rules: Rules): fc.Arbitrary<Rules> {
  return fc
    .subarray(Object.keys(rules))
    .map((names) => Object.fromEntries(names.map((name) => [name, rules[name] as fc.Arbitrary<JsonText>])))
}

/** A change without the fields that have rules, and then some of them by their rules. */
function changeOf({ body: { properties = {}, ...body } = {} }: Described, rules: Rules): fc.Arbitrary<JsonText> {
  return someOf(rules).chain((named) => {
    const free = Object.entries(properties).filter(([name]) => !(name in rules) || name in named)
    return sound({ ...body, properties: Object.fromEntries(free) }, named)
  })
}

/** Bodies of pages and published incidents that keep to every rule. */
export const pageBodies: Readonly<Record<string, (operation: Described) => fc.Arbitrary<JsonText>>> = {
  createStatusPage: ({ body = {} }) => sound(body, pageRules),
  // The password is always there: what the page had before does not matter then.
  updateStatusPage: (operation) => changeOf(operation, pageRules).map(withPassword),
  createPublishedIncident: ({ body = {} }) => sound(body, publishedRules),
  updatePublishedIncident: (operation) => changeOf(operation, publishedRules),
  postPublishedIncidentUpdate: (operation) => changeOf(operation, { affectedMonitors: affected }),
}

function withPassword(body: JsonText): JsonText {
  const change = JSON.parse(body)
  return change.visibility === 'PASSWORD' ? json({ password: 'long enough', ...change }) : body
}
