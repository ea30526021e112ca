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
import { truncate } from '../../lib/text.ts'
import { mapTexts } from '../../lib/variables.ts'
import type { Environment } from '../../server/config/read-files.ts'
import { CommandError } from '../command.ts'
import { problemsText } from './describe-plan.ts'
import { type UsedVariables, variableFault } from './variables.ts'

type Values = Record<string, unknown>

/** The files of a configuration as one document. */
export interface Configuration {
  readonly document: Readonly<Values>
  readonly variables?: UsedVariables
  /** What is wrong in the files themselves, with its place. The server can check the rest of the document all the same. */
  readonly problems?: readonly string[]
  /** `pharos.yaml:12:3`, or the name of the file if the place is not found. The path is dotted. */
  locate(path: string): string
  /** Whether the value at the path contains a variable without a value. */
  isUnset?(path: string): boolean
}

interface File {
  readonly name: string
  readonly content: Document.Parsed
  readonly lines: LineCounter
}

/** Aliases of one file. More are an attack on memory: an alias of aliases multiplies. */
const MAX_ALIASES = 1_000_000

/** Reads files and folders. Throws one error with all that is not YAML in them. */
export function readConfiguration(paths: readonly string[], environment: Environment): Required<Configuration> {
  const faults: string[] = []
  const problems: string[] = []
  const unset = new Set<unknown>()
  const values = new Map<string, string>()
  const files = paths.flatMap((path) => (path === '-' ? [path] : filesAt(path))).map((name) => parse(name, faults))
  for (const file of files) {
    for (const { node, written, name } of variablesIn(file)) {
      const fault = name === undefined ? misspelled(written) : variableFault(name, environment)
      if (fault === undefined) values.set(name as string, environment[name as string] as string)
      else {
        unset.add(node)
        problems.push(`${placeAt(file, node.range?.[0])} ${fault}`)
      }
    }
  }
  const contents = faults.length > 0 ? [] : files.map((file) => contentOf(file, faults))
  if (faults.length > 0) throw new CommandError(problemsText([...faults, ...problems]))
  const shown = new Map(values.keys().map((name) => [name, `(${name})`]))
  const withVariables = (by: ReadonlyMap<string, string>) =>
    contents.map((content) => mapTexts(content, (text) => substituted(text, (name) => by.get(name))))
  return {
    document: merge(files, withVariables(values), problems),
    // Its problems are those of the document.
    variables: { values, shown: merge(files, withVariables(shown), []) },
    problems,
    locate(path) {
      const { file, offset } = find(files, path)
      return file === undefined ? 'configuration' : placeAt(file, offset)
    },
    isUnset: (path) => unset.has(find(files, path).value),
  }
}

/** A file, or the YAML and JSON files of a folder. */
export function filesAt(path: string): readonly string[] {
  if (!existsSync(path)) throw new CommandError(`${path} does not exist`)
  if (!statSync(path).isDirectory()) return [path]
  const names = readdirSync(path).filter((name) => /\.(ya?ml|json)$/i.test(name))
  if (names.length === 0) throw new CommandError(`${path} has no .yaml, .yml or .json file`)
  return names.sort().map((name) => join(path, name))
}

function parse(name: string, faults: string[]): File {
  const lines = new LineCounter()
  const text = readFileSync(name === '-' ? 0 : name, 'utf8')
  const content = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const file = { name: name === '-' ? 'standard input' : name, content, lines }
  for (const { message, pos } of content.errors) faults.push(`${placeAt(file, pos[0])} ${message}`)
  const anchors = new Set<string>()
  visit(content, {
    Value: (_key, { anchor }) => void (anchor === undefined || anchors.add(anchor)),
    Alias: (_key, { source, range }) => {
      if (!anchors.has(source)) faults.push(`${placeAt(file, range?.[0])} *${source} has no &${source} before it`)
    },
  })
  return file
}

interface Variable {
  readonly node: Scalar
  /** With `${` and `}`. */
  readonly written: string
  /** Undefined if what is written is no name. */
  readonly name: string | undefined
}

/** `$${`, a variable, or what looks like one. */
const variableForm = /\$\$\{|\$\{(?:([A-Za-z_]\w*)\}|[^}\n]*\}?)/g

function variablesIn({ content }: File): Variable[] {
  const found: Variable[] = []
  visit(content, {
    Scalar: (key, node) => {
      if (key === 'key' || typeof node.value !== 'string') return
      for (const [written, name] of node.value.matchAll(variableForm)) {
        if (written !== '$${') found.push({ node, written, name })
      }
    },
  })
  return found
}

const MAX_SHOWN_CHARS = 60

function misspelled(written: string): string {
  const fault = written.endsWith('}') ? 'is not a variable name' : 'has no closing brace'
  return `${truncate(written, MAX_SHOWN_CHARS)} ${fault}; write $\${ for a literal \${`
}

function contentOf({ name, content }: File, faults: string[]): unknown {
  try {
    return content.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}
  } catch (error) {
    // What the parser finds only now: too many aliases, or a merge key with something that is no map.
    faults.push(`${name} ${error instanceof Error ? error.message : error}`)
    return {}
  }
}

/** `${NAME}` is the value of a variable, `$${` is `${`. Variables without a value stay. */
function substituted(text: string, valueFor: (name: string) => string | undefined): string {
  return text.replace(variableForm, (whole, name: string | undefined) => {
    if (whole === '$${') return '${'
    return (name === undefined ? undefined : valueFor(name)) ?? whole
  })
}

/** Maps of resources are joined; everything else may be in one file only, or must be the same. */
function merge(files: readonly File[], contents: readonly unknown[], problems: string[]): Values {
  const merged: Values = {}
  for (const [i, file] of files.entries()) {
    const content = contents[i]
    if (!isRecord(content)) {
      problems.push(`${file.name} is not a configuration: it has no map`)
      continue
    }
    for (const [name, value] of Object.entries(content)) {
      const before = merged[name]
      if (before === undefined) merged[name] = value
      else if (isRecord(before) && isRecord(value)) {
        for (const key of Object.keys(value).filter((one) => Object.hasOwn(before, one))) {
          problems.push(`${placeIn(file, `${name}.${key}`)} ${name}.${key} is also in another file`)
        }
        merged[name] = { ...before, ...value }
      } else if (value !== null && value !== before) {
        problems.push(`${placeIn(file, name)} ${name} is different in another file`)
      }
    }
  }
  return merged
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function placeIn(file: File, path: string): string {
  return placeAt(file, deepest(file, path.split('.')).offset)
}

/** The deepest part of the path that a file has, and the value if it has all of it. */
function find(files: readonly File[], path: string) {
  const parts = path.split('.')
  const found = files.map((file) => ({ file, ...deepest(file, parts) })).sort((a, b) => b.depth - a.depth)
  const [best] = found
  const value = best?.depth === parts.length ? best.node : undefined
  return { file: best?.file, offset: best?.offset, value }
}

interface Part {
  readonly depth: number
  readonly offset: number | undefined
  readonly node: Node | null | undefined
}

function deepest({ content }: File, parts: readonly string[]): Part {
  const resolved = (node: Node | null | undefined) => (isAlias(node) ? node.resolve(content) : node)
  let node: Node | null | undefined = content.contents
  let offset: number | undefined
  let depth = 0
  while (depth < parts.length) {
    const at: Node | null | undefined = resolved(node)
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
  return { depth, offset, node: resolved(node) }
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
