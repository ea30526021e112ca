import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { describe, test } from 'node:test'
import { kinds } from '../../../src/configuration/kinds/definitions.ts'
import { type Fields, renamed } from '../../../src/configuration/kinds/fields.ts'
import { type KindName, kindNames } from '../../../src/configuration/kinds/kind.ts'
import type { Installation } from '../../../src/contract/operation.ts'
import { bodiesOf } from '../generate-organization.ts'
import { everything } from '../support.ts'

/** What the rules of bodies use. */
const installation = {
  baseUrl: 'https://pharos.example',
  webhooks: { policy: 'deny', maxAttempts: 8 },
} as unknown as Installation

function read(kind: KindName, entry: Fields): Fields {
  const verdict = kinds[kind].read(entry, installation)
  return 'fields' in verdict ? verdict.fields : assert.fail(JSON.stringify([entry, verdict.faults]))
}

/** Random bodies of creations, as documents write them. What documents write inline is in `everything`. */
function randomEntries(kind: KindName): Fields[] {
  const { names = new Map() } = kinds[kind]
  const operation = `create${kind.charAt(0).toUpperCase()}${kind.slice(1, -1)}`
  return bodiesOf(operation, randomInt(1_000_000), 60).map((body) => renamed(body, names) as Fields)
}

describe('the reader and the writer', () => {
  for (const kind of kindNames) {
    test(`of ${kind} are inverse: what is written is read as the same fields, and written the same again`, () => {
      for (const entry of [...Object.values<Fields>(everything[kind]), ...randomEntries(kind)]) {
        const fields = read(kind, entry)
        const written = kinds[kind].write(fields)
        const again = read(kind, JSON.parse(JSON.stringify(written)))
        const { paused, ...others } = fields
        assert.deepEqual(again, paused === false ? others : fields)
        assert.equal(JSON.stringify(kinds[kind].write(again)), JSON.stringify(written))
      }
    })
  }
})
