import fc from 'fast-check'
import type { DescribedOperation } from './schema.ts'
import { type JsonText, json, one, validJson } from './values.ts'

const address = fc.webPath().map((path) => json(`https://a.example/${encodeURI(path).slice(0, 200)}`))
const orNull = (value: fc.Arbitrary<JsonText>): fc.Arbitrary<JsonText> => fc.oneof(value, fc.constant('null'))
const unique = fc.uuid({ version: 4 })
const someMonitors = fc.constantFrom<string[]>([], ['@monitorId@'])

const section = fc
  .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), someMonitors, fc.constantFrom(null, 'Shown'))
  .map(([name, ids, displayName]) => ({ name, monitors: ids.map((monitorId) => ({ monitorId, displayName })) }))

/** The rules of a page's fields beyond their schemas. Names that must be unique are long and random. */
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
  .tuple(someMonitors, fc.constantFrom('OPERATIONAL', 'DEGRADED', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE'))
  .map(([ids, status]) => json(ids.map((monitorId) => ({ monitorId, status }))))

const publishedRules = {
  statusPageIds: one(['@statusPageId@']),
  affectedMonitors: affected,
  incidentId: fc.constant('null'),
  // Not resolvable at this point.
  startedAt: one('2020-02-29T12:00:00.000Z', '1999-12-31T23:59:59.999Z'),
}

type Rules = Readonly<Record<string, fc.Arbitrary<JsonText>>>

/** A subset of the rules, because a change has a subset of the fields. */
function someOf(rules: Rules): fc.Arbitrary<Rules> {
  return fc
    .subarray(Object.keys(rules))
    .map((names) => Object.fromEntries(names.map((name) => [name, rules[name] as fc.Arbitrary<JsonText>])))
}

/** A change without the fields that have rules, plus some of those fields following their rules. */
function changeOf(
  { body: { properties = {}, ...body } = {} }: DescribedOperation,
  rules: Rules,
): fc.Arbitrary<JsonText> {
  return someOf(rules).chain((named) => {
    const free = Object.entries(properties).filter(([name]) => !(name in rules) || name in named)
    return validJson({ ...body, properties: Object.fromEntries(free) }, named)
  })
}

/** Bodies of pages and published incidents that follow every rule. */
export const pageBodies: Readonly<Record<string, (operation: DescribedOperation) => fc.Arbitrary<JsonText>>> = {
  createStatusPage: ({ body = {} }) => validJson(body, pageRules),
  // Always with a password, so that the page's previous state does not matter.
  updateStatusPage: (operation) => changeOf(operation, pageRules).map(withPassword),
  createPublishedIncident: ({ body = {} }) => validJson(body, publishedRules),
  updatePublishedIncident: (operation) => changeOf(operation, publishedRules),
  postPublishedIncidentUpdate: (operation) => changeOf(operation, { affectedMonitors: affected }),
}

function withPassword(body: JsonText): JsonText {
  const change = JSON.parse(body)
  return change.visibility === 'PASSWORD' ? json({ password: 'long enough', ...change }) : body
}
