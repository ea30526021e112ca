import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
} from 'yaml'
import { CommandError } from '../command.ts'
import { problemsText } from './describe-plan.ts'

type Environment = Readonly<Record<string, string | undefined>>
type Values = Record<string, unknown>

/** The files of a configuration as one document. */
export interface Configuration {
  readonly document: Readonly<Values>
  /** `pharos.yaml:12:3`, or the name of the file if the place is not found. The path is dotted. */
  locate(path: string): string
}

interface File {
  readonly name: string
  readonly content: Document.Parsed
  readonly lines: LineCounter
}

/** Reads files and folders. Throws one error with all that is wrong in them. */
export function readConfiguration(paths: readonly string[], environment: Environment): Configuration {
  const problems: string[] = []
  const files = paths.flatMap(filesAt).map((name) => parse(name, environment, problems))
  const document = problems.length > 0 ? {} : merge(files, problems)
  if (problems.length > 0) throw new CommandError(problemsText(problems))
  return { document, locate: (path) => locate(files, path) }
}

function filesAt(path: string): readonly string[] {
  if (path === '-') return [path]
  if (!existsSync(path)) throw new CommandError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/i.test(name))
  if (names.length === 0) throw new CommandError(`${path} has no .yaml, .yml or .json file`)
  return names.sort().map((name) => join(path, name))
}

function parse(name: string, environment: Environment, problems: string[]): File {
  const lines = new LineCounter()
  const text = readFileSync(name === '-' ? 0 : name, 'utf8')
  const content = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const file = { name: name === '-' ? 'standard input' : name, content, lines }
  for (const { message, pos } of content.errors) problems.push(`${placeAt(file, pos[0])} ${message}`)
  visit(content, {
    Scalar: (key, node) => {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('$')) return
      node.value = substituted(node.value, environment, (variable) => {
        problems.push(`${placeAt(file, node.range?.[0])} ${variable} is not set`)
      })
    },
  })
  return file
}

/** `${NAME}` is the value of a variable, `$${` is `${`. */
function substituted(text: string, environment: Environment, onUnset: (name: string) => void): string {
  return text.replace(/\$\$\{|\$\{([A-Za-z_]\w*)\}/g, (whole, name: string | undefined) => {
    if (name === undefined) return '${'
    if (environment[name] === undefined) onUnset(name)
    return environment[name] ?? whole
  })
}

/** Maps of resources are joined; everything else may be in one file only, or must be the same. */
function merge(files: readonly File[], problems: string[]): Values {
  const merged: Values = {}
  for (const file of files) {
    const content = (file.content.toJS() ?? {}) as unknown
    if (!isRecord(content)) {
      problems.push(`${file.name} is not a configuration: it has no map`)
      continue
    }
    for (const [name, value] of Object.entries(content)) {
      const before = merged[name]
      if (before === undefined) merged[name] = value
      else if (isRecord(before) && isRecord(value)) {
        for (const key of Object.keys(value).filter((one) => Object.hasOwn(before, one))) {
          problems.push(`${locate([file], `${name}.${key}`)} ${name}.${key} is also in another file`)
        }
        merged[name] = { ...before, ...value }
      } else if (value !== null && value !== before) {
        problems.push(`${locate([file], name)} ${name} is different in another file`)
      }
    }
  }
  return merged
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The place of the deepest part of the path that a file has. */
function locate(files: readonly File[], path: string): string {
  const found = files.map((file) => ({ file, ...deepest(file, path.split('.')) })).sort((a, b) => b.depth - a.depth)
  const [best] = found
  return best === undefined ? 'configuration' : placeAt(best.file, best.offset)
}

function deepest({ content }: File, parts: readonly string[]): { depth: number; offset: number | undefined } {
  let node: Node | null | undefined = content.contents
  let offset: number | undefined
  let depth = 0
  while (depth < parts.length) {
    const at: Node | null | undefined = isAlias(node) ? node.resolve(content) : node
    if (isSeq(at)) {
      node = at.items[Number(parts[depth])] as Node | undefined
      if (node === undefined) break
      offset = node.range?.[0]
      depth += 1
      continue
    }
    if (!isMap(at)) break
    const pair = memberOf(at.items as Pair<Scalar, Node>[], parts.slice(depth))
    if (pair === undefined) break
    offset = pair.item.key.range?.[0]
    node = pair.item.value
    depth += pair.length
  }
  return { depth, offset }
}

/** Keys may contain dots, such as names of headers. */
function memberOf(items: readonly Pair<Scalar, Node>[], parts: readonly string[]) {
  for (let length = 1; length <= parts.length; length += 1) {
    const name = parts.slice(0, length).join('.')
    const item = items.find(({ key }) => isScalar(key) && String(key.value) === name)
    if (item !== undefined) return { item, length }
  }
  return undefined
}

function placeAt({ name, lines }: File, offset: number | undefined): string {
  if (offset === undefined) return name
  const { line, col } = lines.linePos(offset)
  return `${name}:${line}:${col}`
}
