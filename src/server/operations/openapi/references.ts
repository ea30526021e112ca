import type { ErrorCode } from '../../../contract/errors.ts'
import { DOCUMENTED } from '../../../contract/schema.ts'
import { descriptionOf } from './property-descriptions.ts'

export type JsonObject = { [key: string]: unknown }

export type Refer = (schema: unknown) => unknown

/** Moves every schema with a title to `components` and puts a reference in its place. */
export function referrer(schemas: JsonObject): Refer {
  const refer: Refer = (schema) => {
    if (Array.isArray(schema)) return schema.map(refer)
    if (typeof schema !== 'object' || schema === null) return schema
    const entries = Object.entries({ ...schema, ...documentedOnly(schema) })
    const whole = Object.fromEntries(
      entries
        .filter(([key, value]) => key !== DOCUMENTED && value !== undefined)
        .map(([key, value]) => [key, refer(value)]),
    )
    // The conditions of `if` and `not` have properties, too, and no type.
    if ([whole.type].flat().includes('object')) describeProperties(whole)
    // A `title` that is not a string is a property with that name.
    if (typeof whole.title !== 'string') return whole
    const { title, ...inner } = whole as JsonObject & { title: string }
    schemas[title] ??= inner
    return { $ref: `#/components/schemas/${title}` }
  }
  return refer
}

function describeProperties({ title, properties = {} }: JsonObject): void {
  for (const [name, property] of Object.entries(properties as Record<string, JsonObject>)) {
    if (!('description' in property) && !('$ref' in property)) {
      property.description = descriptionOf(name, String(title))
    }
  }
}

function documentedOnly(schema: object): object | undefined {
  return DOCUMENTED in schema ? (schema[DOCUMENTED] as object) : undefined
}

export function sorted(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Moves an error response to `components`, named after its codes (`PlanLimitOrSubscriptionRequired`) and methods. */
export function referToResponse(
  responses: JsonObject,
  codes: readonly ErrorCode[],
  response: JsonObject,
  methods: readonly string[] = [],
): JsonObject {
  const name = codes.map(pascal).join('Or') + methods.map((method) => pascal(method.toLowerCase())).join('')
  responses[name] = response
  return { $ref: `#/components/responses/${name}` }
}

/** What is repeated less is easier to read where it is used. */
const MIN_SAVED_LINES = 20

/** Puts references in place of parameters that many operations have; returns these parameters by name. */
export function shareParameters(paths: JsonObject): JsonObject {
  const operations = Object.values(paths).flatMap((path) => Object.values(path as JsonObject)) as JsonObject[]
  const lists = operations.map(({ parameters }) => parameters as JsonObject[])
  const groups = Map.groupBy(lists.flat(), (parameter) => JSON.stringify(parameter, null, 2))
  const shared: JsonObject = {}
  const references = new Map<string, JsonObject>()
  for (const [text, same] of [...groups].toSorted(([, a], [, b]) => b.length - a.length)) {
    const title = pascal(String(same[0]?.name))
    const lines = text.split('\n').length
    const saved = same.length * (lines - 3) - lines
    if (saved < MIN_SAVED_LINES || title in shared) continue
    shared[title] = same[0]
    references.set(text, { $ref: `#/components/parameters/${title}` })
  }
  for (const list of lists) {
    list.forEach((parameter, i) => {
      list[i] = references.get(JSON.stringify(parameter, null, 2)) ?? parameter
    })
  }
  return shared
}

/** `rate_limited` becomes `RateLimited`, and `monitorId` `MonitorId`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[._-])(.)/g, (_, letter: string) => letter.toUpperCase())
}
