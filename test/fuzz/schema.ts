/** The part of JSON Schema that the document uses, implemented a second time without the server's code. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: false | Schema
  readonly format?: string
  /** Only that of names. */
  readonly pattern?: string
}

const understood = new Set(
  [
    '$ref',
    'type',
    'enum',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'minProperties',
    'maxProperties',
    'items',
  ].concat([
    'properties',
    'required',
    'additionalProperties',
    'description',
    'default',
    'format',
    'pattern',
    'examples',
  ]),
)

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly schema: Schema
}

/** One operation of the document with all references resolved. */
export interface DescribedOperation {
  readonly id: string
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly body: Schema | undefined
  readonly bodyRequired: boolean
  readonly bodyLimitBytes: number
  /** Success status, and the schema of its body; undefined if it is not JSON. */
  readonly success: { readonly status: number; readonly schema: Schema | undefined }
}

type Node = Record<string, unknown>

/** The operations of the document. */
export function operationsOf(document: unknown): DescribedOperation[] {
  const { paths } = document as { paths: Record<string, Record<string, Node>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, node]) => {
      const whole = resolved(document, node) as Node
      const responses = whole.responses as Record<string, Node>
      const body = withoutModelledRules(contentSchema(whole.requestBody as Node | undefined)) as Schema | undefined
      const status = Object.keys(responses).find((code) => code.startsWith('2')) as string
      return {
        id: whole.operationId as string,
        method: method.toUpperCase(),
        path,
        parameters: withoutModelledRules(whole.parameters ?? []) as Parameter[],
        body,
        bodyRequired: (whole.requestBody as Node | undefined)?.required === true,
        bodyLimitBytes: limitIn((whole.requestBody as Node | undefined)?.description ?? 'At most 64 KiB'),
        success: { status: Number(status), schema: contentSchema(responses[status]) },
      }
    }),
  )
}

function limitIn(description: unknown): number {
  const [, count, unit] = /^At most (\d+) ([KM])iB$/.exec(String(description)) ?? []
  return Number(count) * (unit === 'M' ? 1024 * 1024 : 1024)
}

const TIMESTAMP_PATTERN = /^\^\\d\{4\}-/
/** Of names: no control characters. */
const NAME_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$'

/**
 * Leaves out rules whose faults the server reports with other paths: most patterns, duplicates,
 * conditions between fields, the version of a configuration document. A union becomes the variant without required fields of its own.
 */
function withoutModelledRules(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutModelledRules)
  if (typeof node !== 'object' || node === null) return node
  const { oneOf, anyOf: _anyOf, discriminator, if: _if, then: _then, else: _else, not: _not, ...most } = node as Node
  const { const: _version, ...rest } = most
  // Other variants are conditions between fields.
  const { propertyName: tag } = (discriminator ?? {}) as { readonly propertyName?: string }
  if (Array.isArray(oneOf) && tag !== undefined) return withoutModelledRules(merged(oneOf as Schema[], tag))
  const { pattern, uniqueItems: _unique, propertyNames: _names, patternProperties: _patterns, ...kept } = rest
  const isTime = typeof pattern === 'string' && TIMESTAMP_PATTERN.test(pattern)
  const whole = { ...kept, ...(isTime && { format: 'date-time' }), ...(pattern === NAME_PATTERN && { pattern }) }
  return Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, withoutModelledRules(value)]))
}

function merged(variants: readonly Schema[], tag: string): Schema {
  const [least] = variants.toSorted((a, b) => (a.required?.length ?? 0) - (b.required?.length ?? 0)) as [Schema]
  const values = variants.flatMap(({ properties }) => properties?.[tag]?.enum ?? [])
  const fields = Object.entries(least.properties ?? {}).map(([name, field]) => {
    const isSame = variants.every(({ properties }) => (properties?.[name]?.properties ?? 0) === (field.properties ?? 0))
    return [name, isSame ? field : { type: 'object' }]
  })
  return { ...least, properties: { ...Object.fromEntries(fields), [tag]: { type: 'string', enum: values } } }
}

function contentSchema(node: Node | undefined): Schema | undefined {
  return (node?.content as Record<string, { schema: Schema }> | undefined)?.['application/json']?.schema
}

function resolved(document: unknown, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((part) => resolved(document, part))
  if (typeof node !== 'object' || node === null) return node
  const { $ref } = node as { $ref?: string }
  if ($ref === undefined) {
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(document, value)]))
  }
  const steps = $ref.replace(/^#\//, '').split('/')
  return resolved(
    document,
    steps.reduce<unknown>((at, step) => (at as Node)[step], document),
  )
}

/** The dotted paths at which a value violates its schema or has text that databases cannot store. */
export function faultsOf(schema: Schema, value: unknown, root: string): string[] {
  const faults: string[] = []
  judge(schema, value, '', faults)
  return [...new Set(faults)].map((path) => (path === '' ? root : path))
}

function judge(schema: Schema, value: unknown, path: string, faults: string[]): void {
  const unknown = Object.keys(schema).find((keyword) => !understood.has(keyword))
  if (unknown !== undefined) throw new Error(`The fuzz test does not understand the keyword ${unknown} yet`)
  const types = [schema.type ?? []].flat()
  if (types.length > 0 && !types.some((type) => isOf(type, value))) {
    faults.push(path)
    return
  }
  if (schema.enum !== undefined && !schema.enum.includes(value)) faults.push(path)
  if (typeof value === 'number') judgeNumber(schema, value, path, faults)
  else if (typeof value === 'string') judgeText(schema, value, path, faults)
  else if (Array.isArray(value)) judgeList(schema, value, path, faults)
  else if (typeof value === 'object' && value !== null) judgeObject(schema, value as Node, path, faults)
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return typeof value === type
}

function judgeNumber({ minimum, maximum }: Schema, value: number, path: string, faults: string[]): void {
  if (value < (minimum ?? value) || value > (maximum ?? value)) faults.push(path)
}

function judgeText({ minLength = 0, maxLength, pattern }: Schema, value: string, path: string, faults: string[]): void {
  const length = [...value].length
  const isMatch = pattern === undefined || new RegExp(pattern).test(value)
  if (length < minLength || length > (maxLength ?? length) || !isMatch) faults.push(path)
  else if (!value.isWellFormed() || value.includes('\0')) faults.push(`${TEXT}${path}`)
}

/** Marks a text fault, which is reported only for values that match the schema otherwise. */
export const TEXT = 'text:'

function judgeList({ items, minItems = 0, maxItems }: Schema, value: unknown[], path: string, faults: string[]): void {
  if (value.length < minItems || value.length > (maxItems ?? value.length)) faults.push(path)
  if (items !== undefined) value.forEach((item, i) => void judge(items, item, joined(path, `${i}`), faults))
}

function judgeObject(schema: Schema, value: Node, path: string, faults: string[]): void {
  const { properties = {}, required = [], additionalProperties, minProperties = 0, maxProperties } = schema
  const size = Object.keys(value).length
  if (size < minProperties || size > (maxProperties ?? size)) faults.push(path)
  for (const name of required) if (!Object.hasOwn(value, name)) faults.push(joined(path, name))
  for (const [name, member] of Object.entries(value)) {
    const at = joined(path, name)
    if (Object.hasOwn(properties, name)) judge(properties[name] as Schema, member, at, faults)
    else if (additionalProperties === false) faults.push(at)
    else if (additionalProperties !== undefined) {
      if (!name.isWellFormed() || name.includes('\0')) faults.push(`${TEXT}${at}`)
      judge(additionalProperties, member, at, faults)
    }
  }
}

function joined(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}
