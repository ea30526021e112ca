import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { ImportedObject, ImportResult, Outcome } from '../../src/importers/result.ts'
import { defaultSettings } from '../../src/monitoring/monitor-settings/schema.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents and expectations have every shape
export type Anything = any

/** What `expected.json` of a fixture says about an object of the other tool. */
export interface Expectation {
  readonly outcome: 'mapped' | 'warned' | 'refused' | 'notAMonitor'
  readonly type?: string
  readonly name?: string
  readonly paused?: boolean
  readonly fields?: Readonly<Record<string, unknown>>
  readonly warnings?: readonly string[]
  readonly alsoAcceptable?: readonly string[]
  readonly alertChannels?: readonly string[]
}

const outcomes: Readonly<Record<string, Outcome>> = {
  mapped: 'MAPPED',
  warned: 'MAPPED_WITH_LOSSES',
  refused: 'NOT_SUPPORTED',
  notAMonitor: 'NOT_A_MONITOR',
}

/** Old addresses keep working, although the fixtures say otherwise. */
const changedAddress = /address( and token)? changes?\b/

/** The object with this kind and id. Every object must be reported once. */
export function objectOf({ objects }: ImportResult, kind: string, sourceId: string | number): ImportedObject {
  const found = objects.filter((one) => one.kind === kind && one.sourceId === String(sourceId))
  assert.equal(found.length, 1, `${kind} ${sourceId} is reported once`)
  return found[0] as ImportedObject
}

/** The resource that an object became. */
export function resourceOf({ document }: ImportResult, { key }: ImportedObject): Anything {
  const [kind = '', name = ''] = (key ?? '').split('.')
  const resource = (document as Anything)[kind]?.[name]
  assert.ok(resource, `${key} is in the document`)
  return resource
}

/**
 * Requires that an object became what is expected. `better`: the outcome that Pharos reaches by now, where the expectation was
 * written before it could.
 */
export function expectObject(
  result: ImportResult,
  kind: string,
  sourceId: string | number,
  expected: Expectation,
  better?: Outcome,
): ImportedObject {
  const object = objectOf(result, kind, sourceId)
  const what = `${kind} ${sourceId} (${object.name})`
  const accepted = better === undefined ? acceptedOutcomes(expected) : [better]
  assert.ok(accepted.includes(object.outcome), `${what} is ${object.outcome}, expected ${accepted.join(' or ')}`)
  expectReasons(object, what)
  const isMapped = object.outcome === 'MAPPED' || object.outcome === 'MAPPED_WITH_LOSSES'
  if (!isMapped || !['mapped', 'warned'].includes(expected.outcome)) return object
  const resource = resourceOf(result, object)
  if (expected.type !== undefined) assert.equal(resource.type, expected.type, `type of ${what}`)
  if (expected.name !== undefined) assert.equal(resource.name, expected.name, `name of ${what}`)
  if (expected.paused !== undefined) assert.equal(resource.paused ?? false, expected.paused, `paused of ${what}`)
  if (expected.type !== undefined) expectFields({ ...defaultSettings, ...resource }, expected.fields ?? {}, what)
  return object
}

function acceptedOutcomes({ outcome, warnings = [], alsoAcceptable = [] }: Expectation): Outcome[] {
  const isAddressOnly = warnings.length > 0 && warnings.every((text) => changedAddress.test(text))
  const others = alsoAcceptable.flatMap((text) => outcomes[text.split(':')[0] as string] ?? [])
  return [outcome === 'warned' && isAddressOnly ? 'MAPPED' : (outcomes[outcome] as Outcome), ...others]
}

/** What is lost or not supported is said. */
function expectReasons({ outcome, losses, reason, key }: ImportedObject, what: string): void {
  const sentences = [...losses, ...(reason === undefined ? [] : [reason])]
  for (const text of sentences) assert.match(text, /^\S.*\S$/s, `${what} has an empty sentence`)
  assert.equal(losses.length > 0, outcome === 'MAPPED_WITH_LOSSES', `losses of ${what}: ${losses.join(' ')}`)
  const isRefused = outcome === 'NOT_SUPPORTED' || outcome === 'NOT_A_MONITOR'
  assert.equal(reason !== undefined, isRefused, `reason of ${what}`)
  assert.equal(key !== undefined, !isRefused, `key of ${what}`)
}

/** Requires each expected field of a resource. Others may have any value. */
export function expectFields(resource: Anything, fields: Readonly<Record<string, unknown>>, what: string): void {
  for (const [name, expected] of Object.entries(fields)) {
    if (name === 'note') continue
    const found = resource[name]
    assert.ok(
      matches(found, expected),
      `${name} of ${what} is ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`,
    )
  }
}

/** Compares a value with an expected one, which may be a rule. */
function matches(found: Anything, expected: Anything): boolean {
  if (typeof expected !== 'object' || expected === null) return isDeepStrictEqual(found ?? null, expected)
  if (Array.isArray(expected)) return matchesList(found, expected)
  const rules = Object.keys(expected)
  if (rules.some((name) => name in ruleOf)) {
    return rules.every((name) => ruleOf[name] === undefined || ruleOf[name](found, expected[name]))
  }
  return typeof found === 'object' && found !== null && rules.every((name) => matches(found[name], expected[name]))
}

const ruleOf: Readonly<Record<string, (found: Anything, value: Anything) => boolean>> = {
  between: (found, [from, to]) => found >= from && found <= to,
  // A text among the choices describes another right answer for people.
  anyOf: (found, choices: Anything[]) => choices.some((one) => matches(found, one)),
  mustHold: (found, values: Anything[]) => values.every((one) => found.includes(one)),
  mustNotHold: (found, values: Anything[]) => values.every((one) => !found.includes(one)),
  jsonEquals: (found, value) => isDeepStrictEqual(JSON.parse(found), value),
  formEquals: (found, value) => isDeepStrictEqual(Object.fromEntries(new URLSearchParams(found)), value),
  set: (found, values: Anything[]) => isDeepStrictEqual([...found].sort(), [...values].sort()),
  moreThan100: (found, ranges: string[]) => {
    const allowed = ranges.flatMap(codesIn)
    const registered = allowed.filter((code) => STATUS_CODES[code] !== undefined)
    const isKept = registered.every((code) => found.includes(code))
    return isKept && found.length <= 100 && found.every((code: number) => allowed.includes(code))
  },
}

/** Status codes are expected as ranges: `200-299`. */
function matchesList(found: Anything, expected: readonly Anything[]): boolean {
  if (!Array.isArray(found)) return false
  if (found.every((one) => typeof one === 'number') && expected.every((one) => typeof one === 'string')) {
    return isDeepStrictEqual(found, expected.flatMap(codesIn))
  }
  return found.length === expected.length && found.every((one, i) => matches(one, expected[i]))
}

function codesIn(range: string): number[] {
  const [from = 0, to = from] = range.split('-').map(Number)
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** The settings of a contact hold every expected value, whatever the fields are called. */
export function expectContact(
  contact: Anything,
  channel: string,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  assert.equal(contact.channel, channel.toUpperCase())
  assert.equal(contact.disabledAtFirst, true, 'contacts arrive disabled')
  const values = Object.values(contact.settings).map(String)
  for (const value of Object.values(fields).flat()) {
    assert.ok(values.includes(String(value)), `${contact.name} has ${value}: ${values.join(', ')}`)
  }
}

/** A maintenance window as the fixtures describe it: by wall clock and names of monitors. */
export function windowFacts({ document }: ImportResult, window: Anything): Anything {
  const { startsAt, endsAt, timezone = 'UTC', monitors = [], statusPages = [] } = window
  const start = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timezone)
  const nameIn = (kind: string) => (key: string) => (document as Anything)[kind][key].name
  return {
    recurrence: 'NONE',
    recurrenceInterval: 1,
    ...window,
    timezone,
    startTime: start.toPlainTime().toString().slice(0, 5),
    firstDay: start.toPlainDate().toString(),
    startDate: start.toPlainDate().toString(),
    durationMinutes: (Date.parse(endsAt) - Date.parse(startsAt)) / 60_000,
    monitors: monitors.map(nameIn('monitors')),
    statusPages: statusPages.map(nameIn('statusPages')),
  }
}
