import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { kinds } from '../../../src/configuration/kinds/definitions.ts'
import type { Fields } from '../../../src/configuration/kinds/fields.ts'
import { type KindName, kindNames } from '../../../src/configuration/kinds/kind.ts'
import type { Installation } from '../../../src/contract/operation.ts'
import { optionNamed, optionNames } from '../../../src/monitoring/monitor-options/definitions.ts'
import { definitions, monitorTypes } from '../../../src/monitoring/monitor-types/definitions.ts'
import { everything } from '../support.ts'

/** What the rules of bodies use. */
const installation = {
  baseUrl: 'https://pharos.example',
  webhooks: { policy: 'deny', maxAttempts: 8 },
} as unknown as Installation

const text = fc.string({ unit: fc.constantFrom(...'aZ 0$é漢😀-"'), minLength: 1, maxLength: 40 })
const plain = { noNullPrototype: true }
const some = <T>(values: readonly T[]) => fc.subarray([...values])

function optional(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Fields>
}

const monitor = fc
  .tuple(
    fc.constantFrom(...monitorTypes),
    text,
    optional({
      intervalSeconds: fc.integer({ min: 30, max: 86_400 }),
      verifySsl: fc.boolean(),
      requestHeaders: fc.option(
        fc.dictionary(fc.stringMatching(/^[A-Za-z-]{1,10}$/), fc.stringMatching(/^[a-z0-9 ]*$/), plain),
      ),
      labels: fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_-]{0,10}$/), text, plain),
      paused: fc.boolean(),
    }),
    some(optionNames),
  )
  .map(([type, name, more, options]): Fields => {
    // The example of assertions fits only some types, and that of the request has a mask in place of a secret.
    const hasAssertions = type === 'HTTP' || type === 'KEYWORD'
    const fitting = options.filter((option) => {
      const isLeftOut = option === 'request' || (option === 'assertions' && !hasAssertions)
      return optionNamed(option).types.includes(type) && !isLeftOut
    })
    const set = fitting.map((option) => {
      const { body } = optionNamed(option).example
      return [option, option === 'assertions' ? (body as { assertions: unknown }).assertions : body]
    })
    return { ...definitions[type].example, ...more, type, name, ...Object.fromEntries(set) }
  })

const keys = some(['shop', 'db', 'other-team/web'])

const statusPage = fc
  .tuple(
    text,
    optional({
      slug: fc.constant('shop-status'),
      historyDays: fc.integer({ min: 7, max: 365 }),
      showUptime: fc.boolean(),
      timezone: fc.constantFrom('UTC', 'europe/berlin'),
    }),
    fc.array(fc.tuple(keys, fc.option(text), fc.boolean()), { maxLength: 4 }),
  )
  .map(
    ([name, more, sections]): Fields => ({
      name,
      ...more,
      sections: sections.map(([monitors, displayName, isSelected], i) => ({
        name: `Section ${i}`,
        monitors: monitors.map((one) => ({ monitor: one, ...(displayName !== null && { displayName }) })),
        ...(isSelected && { selector: 'team = shop , env in (b,a)' }),
      })),
    }),
  )

const contact = fc
  .tuple(
    text,
    fc.constantFrom('ALL', 'CHOSEN', 'LABELS'),
    keys,
    fc.boolean(),
    fc.option(some(['OPENED', 'DEGRADED']), { nil: undefined }),
    fc.boolean(),
  )
  .map(
    ([name, covers, monitors, enabled, chosen, disabledAtFirst]): Fields => ({
      name,
      covers,
      enabled,
      channel: 'WEBHOOK',
      settings: { url: 'https://hooks.example/a' },
      ...(chosen !== undefined && chosen.length > 0 && { kinds: chosen }),
      ...(disabledAtFirst && { disabledAtFirst }),
      ...(covers === 'LABELS'
        ? { selector: 'a,b=c' }
        : { [covers === 'ALL' ? 'exceptMonitors' : 'monitors']: monitors }),
    }),
  )

const maintenanceWindow = fc
  .tuple(
    text,
    fc.constantFrom('NONE', 'DAILY', 'WEEKLY', 'MONTHLY'),
    keys,
    some([1, 3, 7]),
    fc.option(fc.constant('env=prod'), { nil: undefined }),
  )
  .map(
    ([name, recurrence, monitors, daysOfWeek, selector]): Fields => ({
      name,
      recurrence,
      monitors,
      daysOfWeek,
      statusPages: ['main'],
      allMonitors: monitors.length === 0,
      startsAt: '2030-01-01T02:00+01:00',
      endsAt: '2030-01-01T03:00Z',
      timezone: 'europe/berlin',
      ...(selector !== undefined && { selector }),
    }),
  )

const webhookEndpoint = fc
  .tuple(fc.option(text), fc.boolean(), fc.constantFrom(['*'], ['incident.opened', 'incident.resolved']))
  .map(
    ([description, enabled, eventTypes]): Fields => ({
      url: 'https://hooks.example/a',
      description,
      enabled,
      eventTypes,
    }),
  )

const entries: Readonly<Record<KindName, fc.Arbitrary<Fields>>> = {
  monitors: monitor,
  statusPages: statusPage,
  contacts: contact,
  maintenanceWindows: maintenanceWindow,
  webhookEndpoints: webhookEndpoint,
}

function read(kind: KindName, entry: Fields): Fields {
  const verdict = kinds[kind].read(entry, installation)
  return 'fields' in verdict ? verdict.fields : assert.fail(JSON.stringify([entry, verdict.faults]))
}

describe('the reader and the writer', () => {
  for (const kind of kindNames) {
    test(`of ${kind} are inverse: what is written is read as the same fields, and written the same again`, () => {
      const check = (entry: Fields): void => {
        const fields = read(kind, entry)
        const written = kinds[kind].write(fields)
        const again = read(kind, JSON.parse(JSON.stringify(written)))
        const { paused, ...others } = fields
        assert.deepEqual(again, paused === false ? others : fields)
        assert.equal(JSON.stringify(kinds[kind].write(again)), JSON.stringify(written))
      }
      for (const entry of Object.values(everything[kind])) check(entry)
      fc.assert(fc.property(entries[kind], check), { numRuns: 60 })
    })
  }
})
