import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_BODY_BYTES } from '../../../src/contract/operation.ts'
import { channels } from '../../../src/notifications/contacts/channels/index.ts'
import { appOperations } from '../../../src/server/operations/app-table.ts'
import { operations } from '../../../src/server/operations/table.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly form?: string
  readonly description?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

/** A character outside of the basic plane, written as two escapes such as \ud83d. */
const CHARACTER_BYTES = 12
/** Ids and timestamps have no maximum in the schema. They are ASCII, which nobody escapes. */
const ID_BYTES = 42
const NUMBER_BYTES = 25

/** Bounds that are not in the schema, in bytes. */
const boundedByRules: Readonly<Record<string, number>> = {
  // 50 names, and 1,000 entries of an id and a name of 120 characters.
  sections: 50 * 120 * CHARACTER_BYTES + 1_000 * (120 * CHARACTER_BYTES + 80),
  // 16,384 characters in 64 headers, as \u00e9.
  requestHeaders: 16_384 * 6 + 64 * 6,
  // 30 labels of 32 ASCII characters, with values of 63 characters.
  labels: 30 * (32 + 63 * CHARACTER_BYTES + 6),
  get settings() {
    return Math.max(...Object.values(channels).map(({ settingsSchema }) => largest(settingsSchema as Schema)))
  },
  kinds: 200,
  // Up to 20,000, of a key of 63 characters each.
  keys: 20_000 * 90,
  variableValues: 200_000,
  // PEM and hexadecimal digits are ASCII.
  ca: 20_000,
  cert: 20_000,
  key: 20_000,
  sendHex: 2_000,
  // Those of an HTTP monitor: one with a dialogue has no request body.
  options: 650_000,
  // Base64 of 256 KiB.
  image: 349_528,
}

/** The bytes of the largest JSON that the schema permits. */
function largest(schema: Schema): number {
  const { type, enum: values, properties, items, maxItems } = schema
  if (values !== undefined) return Math.max(...values.map((value) => JSON.stringify(value).length))
  const types = [type].flat()
  if (types.includes('object')) {
    const fields = Object.entries(properties ?? {})
    return fields.reduce((sum, [name, field]) => sum + name.length + 4 + (boundedByRules[name] ?? largest(field)), 2)
  }
  if (types.includes('array')) {
    assert.ok(maxItems !== undefined && items !== undefined, `a list without a maximum: ${JSON.stringify(schema)}`)
    return 2 + maxItems * (1 + largest(items))
  }
  return types.includes('string') ? largestText(schema) : NUMBER_BYTES
}

function largestText({ maxLength, form, description }: Schema): number {
  if (maxLength === undefined) return ID_BYTES
  const isAscii = form?.startsWith('^[!-~]') === true || description === 'base64url'
  return 2 + maxLength * (isAscii ? 1 : CHARACTER_BYTES)
}

test('the largest valid body of each operation fits its limit, and no operation has a larger limit than it needs', () => {
  const limits = [16 * 1024, 64 * 1024, 2 * 1024 * 1024]
  for (const operation of [...operations, ...appOperations]) {
    const { id, method, body, bodyLimitBytes = DEFAULT_BODY_BYTES } = operation
    if (method === 'GET' || body === undefined || operation.isUpload === true) continue
    if (operation.document !== undefined) {
      assert.equal(bodyLimitBytes, 16 * 1024 * 1024, id)
      continue
    }
    const bytes = largest(body as Schema)
    const needed = limits.find((limit) => limit >= bytes)
    const least = 'permission' in operation ? 16 * 1024 : 64 * 1024
    assert.equal(bodyLimitBytes, Math.max(needed ?? Number.NaN, least), `${id} needs ${bytes} bytes`)
  }
})
