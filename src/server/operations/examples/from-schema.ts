type Schema = { readonly [keyword: string]: unknown }

/** Values by the name of the field, for texts whose schema says no more than `string`. */
const byName: Readonly<Record<string, string>> = {
  name: 'Checkout',
  title: 'Orders fail at checkout',
  description: 'Main website',
  message: 'Check succeeded',
  error: 'Timeout after 30 s',
  email: 'on-call@shop.example',
  url: 'https://shop.example/health',
  timezone: 'Europe/Berlin',
  selector: 'team=payments',
  labels: 'team=payments',
}

/** An example made of a schema, for operations without a written one. Optional fields are left out of request bodies. */
export function exampleFromSchema(schema: unknown, isRequest: boolean, name = ''): unknown {
  const of = (schema ?? {}) as Schema
  const given = [...((of.examples as unknown[] | undefined) ?? []), of.example, of.const, of.default]
  const first = given.find((value) => value !== undefined)
  if (first !== undefined && !(first === null && of.type === undefined)) return first
  const options = (of.anyOf ?? of.oneOf ?? of.allOf) as readonly unknown[] | undefined
  if (Array.isArray(of.enum)) return of.enum[0]
  if (options !== undefined && of.properties === undefined) return exampleFromSchema(options[0], isRequest, name)
  const type = Array.isArray(of.type) ? (of.type[0] as string) : of.type
  switch (type) {
    case 'object':
      return objectFrom(of, isRequest)
    case 'array':
      return (of.minItems as number | undefined) === 0 && isRequest
        ? []
        : [exampleFromSchema(of.items, isRequest, name)]
    case 'integer':
    case 'number':
      return (of.minimum as number | undefined) ?? 1
    case 'boolean':
      return true
    case 'string':
      return textFrom(of, name)
    default:
      return null
  }
}

function objectFrom({ properties = {}, required = [] }: Schema, isRequest: boolean): object {
  const needed = new Set(required as readonly string[])
  const entries = Object.entries(properties as Record<string, Schema>)
  const shown = isRequest ? entries.filter(([field]) => needed.has(field)) : entries
  return Object.fromEntries(shown.map(([field, value]) => [field, exampleFromSchema(value, isRequest, field)]))
}

function textFrom({ format, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema, name: string): string {
  const text = format === 'date-time' || /At$/.test(name) ? '2026-03-02T09:31:00.000Z' : (byName[name] ?? 'example')
  return text.padEnd(minLength as number, 'x').slice(0, maxLength as number)
}
