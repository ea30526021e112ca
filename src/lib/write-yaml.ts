import type { ForeignTask } from './foreign-work.ts'
import { cleanJson } from './json.ts'

/** Plain scalars that no YAML reader takes for something else. All other texts are quoted like JSON, which YAML contains. */
const plain = /^[A-Za-z_][\w./@-]*( [\w./@-]+)*$/
const reserved = /^(true|false|null|yes|no|on|off|y|n)$/i

/** A JSON value as YAML 1.2, in block style. Numbers of a list are on one line: an imported monitor may have 100 status codes. */
export function writeYaml(value: unknown, indent = ''): string {
  const entries = entriesOf(value)
  if (entries === undefined || entries.length === 0) return scalar(value)
  const lines = entries.map(([name, part]) => {
    const isBlock = (entriesOf(part)?.length ?? 0) > 0
    if (name === undefined) return `- ${writeYaml(part, `${indent}  `)}`
    return isBlock
      ? `${scalar(name)}:\n${indent}  ${writeYaml(part, `${indent}  `)}`
      : `${scalar(name)}: ${scalar(part)}`
  })
  return lines.join(`\n${indent}`)
}

/** The parts of a list (without names) or an object; undefined for a scalar. */
function entriesOf(value: unknown): [name: string | undefined, part: unknown][] | undefined {
  if (isNumbers(value)) return undefined
  if (Array.isArray(value)) return value.map((part) => [undefined, part])
  return typeof value === 'object' && value !== null ? Object.entries(value) : undefined
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'number')
}

function scalar(value: unknown): string {
  if (isNumbers(value)) return `[${value.join(', ')}]`
  return typeof value === 'string' && plain.test(value) && !reserved.test(value) ? value : cleanJson(value, 0)
}

/** JSON as YAML. A document may have 16 MiB. */
export const yamlOfJson: ForeignTask<readonly string[], string> = {
  name: 'yamlOfJson',
  run: (json) => `${writeYaml(JSON.parse(json.join('')))}\n`,
}
