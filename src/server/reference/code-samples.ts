import type { ReferenceOperation } from './model.ts'
import { prettyJson } from './pretty-json.ts'

export const languages = { curl: 'curl', javascript: 'JavaScript', python: 'Python' } as const
export type Language = keyof typeof languages

interface SampleRequest {
  readonly method: string
  readonly url: string
  readonly body: unknown
  /** Whether the answer is text and not JSON. */
  readonly isText: boolean
}

/** The request of an example: path parameters filled in, query parameters that have an example, and the body. */
export function sampleRequest(
  { method, path, parameters, success }: ReferenceOperation,
  baseUrl: string,
  body: unknown,
): SampleRequest {
  const values = new Map(
    parameters.filter(({ in: place }) => place === 'path').map(({ name, example }) => [name, String(example ?? name)]),
  )
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? name))
  const query = new URLSearchParams(
    parameters
      .filter(({ in: place, example }) => place === 'query' && example !== undefined)
      .map(({ name, example }): [string, string] => [name, String(example)]),
  )
  return {
    method,
    url: `${baseUrl}${filled}${query.size === 0 ? '' : `?${query}`}`,
    body,
    isText: !success.type.includes('json'),
  }
}

export const samples: Readonly<Record<Language, (request: SampleRequest) => string>> = { curl, javascript, python }

function curl({ method, url, body }: SampleRequest): string {
  const lines = [
    `curl${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : ` -X ${method}`} ${shell(url)}`,
  ]
  lines.push('-H "X-API-Key: $PHAROS_API_KEY"')
  if (method !== 'GET') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'")
    lines.push(`-d ${shell(isSmall(body) ? JSON.stringify(body) : prettyJson(body))}`)
  }
  return lines.join(' \\\n  ')
}

/** In single quotes unless it is plain; a quote within ends them, adds itself and begins them again. */
function shell(text: string): string {
  return /^[A-Za-z0-9:/._-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

function javascript({ method, url, body, isText }: SampleRequest): string {
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

function python({ method, url, body, isText }: SampleRequest): string {
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

function isSmall(body: unknown): boolean {
  return JSON.stringify(body).length <= 60
}

function indented(value: unknown, spaces: number): string {
  return (isSmall(value) ? JSON.stringify(value) : prettyJson(value)).replaceAll('\n', `\n${' '.repeat(spaces)}`)
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
