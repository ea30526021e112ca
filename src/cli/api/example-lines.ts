import type { JsonSchema } from '../../lib/json-schema.ts'
import type { DocumentedOperation } from './document.ts'
import { isListOfScalars, isSplit } from './parse-value.ts'
import { fieldsOf, isRecord, optionName, typedValue, typeOf } from './schema.ts'

const MAX_EXAMPLES = 3
const MAX_JSON_CHARS = 120
const LINE_CHARS = 110

/** Command lines made of the examples of the API. Their ids are abbreviated, so that they change nothing as they are. */
export function exampleLines(name: string, { exampleParams, exampleBodies, body }: DocumentedOperation): string[] {
  const ids = Object.values(exampleParams()).map((id) => shell(abbreviated(String(id))))
  const schemas = fieldsOf(body())
  const bodies = exampleBodies().slice(0, MAX_EXAMPLES)
  return (bodies.length === 0 ? [{}] : bodies).map((example) => {
    const options = Object.entries(example).map(([field, value]) => optionText(field, value, schemas[field] ?? {}))
    return wrapped([['pharos', name, ...ids].join(' '), ...options])
  })
}

function optionText(field: string, value: unknown, schema: JsonSchema): string {
  const option = optionName(field)
  if (value === null || value === false) return `--no-${option}`
  if (value === true) return `--${option}`
  const members = Object.entries(value as object)
  if (isRecord(schema) && members.every(([, part]) => typeof part === 'string')) {
    const pairs = members.map(([key, part]) => `--${option} ${shell(`${key}=${part}`)}`)
    return pairs.join(' ')
  }
  if (isListOfScalars(schema) && Array.isArray(value)) {
    const items = value.map((item) => scalarText(item, schema.items ?? {}))
    if (isSplit(field, schema)) return `--${option} ${shell(items.join(','))}`
    return items.map((item) => `--${option} ${shell(item)}`).join(' ')
  }
  if (typeof value === 'object') {
    const json = abbreviated(JSON.stringify(value))
    return `--${option} ${json.length > MAX_JSON_CHARS ? `@${option}.json` : shell(json)}`
  }
  return `--${option} ${shell(scalarText(value, schema))}`
}

function scalarText(value: unknown, schema: JsonSchema): string {
  if (schema.enum !== undefined) return typedValue(value)
  return typeOf(schema) === 'string' ? abbreviated(String(value)) : String(value)
}

/** `mon_…` for the id of a monitor. */
function abbreviated(text: string): string {
  return text.replace(/\b([a-z]+_)[0-9a-f]{32}\b/g, '$1…')
}

/** In quotes unless it is plain; a quote within ends them, adds itself and begins them again. */
function shell(text: string): string {
  return /^[\w:/.,@%+=…-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function wrapped(parts: readonly string[]): string {
  const lines = ['']
  for (const part of parts) {
    const line = lines.at(-1) ?? ''
    if (line === '' || line.length + part.length < LINE_CHARS) lines[lines.length - 1] = `${line} ${part}`.trimStart()
    else lines.push(part)
  }
  return lines.join(' \\\n    ')
}
