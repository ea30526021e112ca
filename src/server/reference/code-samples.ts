import type { ReferenceOperation } from './model.ts'
import { prettyJson } from './pretty-json.ts'

export const languages = {
  curl: 'curl',
  cli: 'CLI',
  typescript: 'TypeScript',
  javascript: 'JavaScript',
  python: 'Python',
} as const
export type Language = keyof typeof languages

interface SampleRequest {
  readonly method: string
  readonly baseUrl: string
  readonly url: string
  /** The parameters of the path, and those of the query that have an example. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
  /** Whether the body is a file. Only curl shows it. */
  readonly isUpload: boolean
  /** Whether the answer is text and not JSON. */
  readonly isText: boolean
  /** The calls of the command line and the client with placeholders, if they have the operation. */
  readonly cli: string | undefined
  readonly client: string | undefined
}

/** The request of an example: path parameters filled in, query parameters that have an example, and the body. */
export function sampleRequest(
  { method, path, parameters, success, isUpload, cli, client }: ReferenceOperation,
  baseUrl: string,
  body: unknown,
): SampleRequest {
  const at = (place: string) => parameters.filter((parameter) => parameter.in === place)
  const params = Object.fromEntries(at('path').map(({ name, example }) => [name, String(example ?? name)]))
  const query = Object.fromEntries(
    at('query').flatMap(({ name, example }) => (example === undefined ? [] : [[name, example]])),
  )
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? name))
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
  const url = `${baseUrl}${filled}${search.size === 0 ? '' : `?${search}`}`
  return { method, baseUrl, url, params, query, body, isUpload, cli, client, isText: !success.type.includes('json') }
}

/** Undefined if the operation cannot be called that way. */
type Sample = (request: SampleRequest) => string | undefined

export const samples = { curl, cli, typescript, javascript, python } satisfies Record<Language, Sample>

function curl({ method, url, body, isUpload }: SampleRequest): string {
  const hasBody = isUpload || body !== undefined
  const lines = [`curl${method === 'GET' || (method === 'POST' && hasBody) ? '' : ` -X ${method}`} ${shell(url)}`]
  lines.push('-H "X-API-Key: $PHAROS_API_KEY"')
  if (method !== 'GET') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'")
    lines.push(`-d ${shell(jsonText(body))}`)
  }
  if (isUpload) lines.push("-H 'Content-Type: application/octet-stream'", '--data-binary @FILE')
  return lines.join(' \\\n  ')
}

/** In single quotes unless it is plain; a quote within ends them, adds itself and begins them again. */
function shell(text: string): string {
  return /^[A-Za-z0-9:/._-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The key and the address are in the environment or a profile. */
function cli({ cli: call, params, query, body }: SampleRequest): string | undefined {
  if (call === undefined) return undefined
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(params).map(([name, value]) => [separated(name, '_').toUpperCase(), value])),
    ...(body !== undefined && { JSON: jsonText(body), TEXT: String((body as { body?: unknown }).body) }),
  }
  const options = Object.entries(query).map(([name, value]) => {
    const option = separated(name, '-').toLowerCase()
    if (typeof value === 'boolean') return value ? `--${option}` : `--no-${option}`
    return `--${option} ${shell(String(value))}`
  })
  // Options are in lines of their own.
  const parts = call.split(/ (?=--)/).map((part) => part.replace(/\b[A-Z_]+\b/g, (name) => shell(values[name] ?? name)))
  return [...parts, ...options].join(' \\\n  ')
}

/** `monitorId` as `monitor_Id`. */
function separated(name: string, separator: string): string {
  return name.replace(/[A-Z]/g, (letter) => separator + letter)
}

function typescript({ client: call, baseUrl, params, query, body, isUpload }: SampleRequest): string | undefined {
  if (call === undefined || isUpload) return undefined
  const values: Readonly<Record<string, unknown>> = { ...params, body, ...(isEmpty(query) ? {} : { query }) }
  const filled = call.replace(/\(([^()]+)\)/, (_, names: string) => {
    const given = names.split(', ').filter((name) => values[name] !== undefined)
    return `(${given.map((name) => jsonText(values[name])).join(', ')})`
  })
  return [
    "import { Pharos } from '@pharos/client'",
    '',
    'const pharos = new Pharos({',
    `  url: '${baseUrl}',`,
    "  apiKey: process.env.PHAROS_API_KEY ?? '',",
    '})',
    `console.log(await ${filled})`,
  ].join('\n')
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0
}

function javascript({ method, url, body, isUpload, isText }: SampleRequest): string | undefined {
  if (isUpload) return undefined
  const headers = [`'X-API-Key': process.env.PHAROS_API_KEY`]
  if (method !== 'GET') headers.push(`'Idempotency-Key': crypto.randomUUID()`)
  if (body !== undefined) headers.push(`'Content-Type': 'application/json'`)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    headers.length === 1
      ? `  headers: { ${headers[0]} },`
      : `  headers: {\n${headers.map((header) => `    ${header},`).join('\n')}\n  },`,
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(body, 2)}),`]),
  ]
  return [
    `const response = await fetch('${url}', {`,
    ...options,
    '})',
    ...(isText
      ? ["if (!response.ok) throw new Error('HTTP ' + response.status)", 'console.log(await response.text())']
      : [
          'const result = await response.json()',
          'if (!response.ok) throw new Error(result.error.message)',
          'console.log(result)',
        ]),
  ].join('\n')
}

function python({ method, url, body, isUpload, isText }: SampleRequest): string | undefined {
  if (isUpload) return undefined
  const lines = [
    'import os',
    ...(method === 'GET' ? [] : ['import uuid']),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    `    ${JSON.stringify(url)},`,
    ...(method === 'GET'
      ? ['    headers={"X-API-Key": os.environ["PHAROS_API_KEY"]},']
      : [
          '    headers={',
          '        "X-API-Key": os.environ["PHAROS_API_KEY"],',
          '        "Idempotency-Key": str(uuid.uuid4()),',
          '    },',
        ]),
    ...(body === undefined ? [] : [`    json=${pythonValue(body, 1)},`]),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    isText ? 'print(response.text)' : 'print(response.json())',
  ]
  return lines.join('\n')
}

/** In one line if it is short. */
function jsonText(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : prettyJson(value)
}

function indented(value: unknown, spaces: number): string {
  return jsonText(value).replaceAll('\n', `\n${' '.repeat(spaces)}`)
}

function pythonValue(value: unknown, depth: number): string {
  if (value === null) return 'None'
  if (value === true) return 'True'
  if (value === false) return 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const parts = Array.isArray(value)
    ? value.map((item) => pythonValue(item, depth + 1))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pythonValue(item, depth + 1)}`)
  const line = `${open}${parts.join(', ')}${close}`
  if (line.length <= 60 && !line.includes('\n')) return line
  const pad = '    '.repeat(depth + 1)
  return `${open}\n${parts.map((part) => `${pad}${part},\n`).join('')}${'    '.repeat(depth)}${close}`
}
