import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { type ESTree, parseSync, Visitor } from 'rolldown/utils'

interface Import {
  readonly specifier: string
  /** The imported file, relative to the repository; null for a package. */
  readonly target: string | null
  readonly line: number
}

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly file: string
  readonly imports: readonly Import[]
  /** The lines that read `process.env`, however it is written. */
  readonly environmentLines: readonly number[]
}

export function readSources(root: string): Source[] {
  return globSync('{src,test,bench,scripts,dashboard,clients}/**/*.{ts,tsx,js,mjs}', { cwd: root })
    .map(withSlashes)
    .filter((file) => !/(^|\/)(node_modules|generated|dist)\//.test(file))
    .sort()
    .map((file) => readSource(root, file))
}

function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  const imports: Import[] = []
  const environmentLines: number[] = []
  const lineOf = ({ start }: ESTree.Span) => text.slice(0, start).split('\n').length
  const addImport = ({ source }: { readonly source: ESTree.Expression | null }): void => {
    if (source?.type !== 'Literal' || typeof source.value !== 'string') return
    const specifier = source.value
    const target = specifier.startsWith('.') ? withSlashes(normalize(join(dirname(file), specifier))) : null
    imports.push({ specifier, target, line: lineOf(source) })
  }
  const addTaking = (from: ESTree.Node, pattern: ESTree.Node, value: ESTree.Node | null): void => {
    if (value !== null && isProcess(value) && takesEnvironment(pattern)) environmentLines.push(lineOf(from))
  }
  new Visitor({
    ImportDeclaration: addImport,
    ExportNamedDeclaration: addImport,
    ExportAllDeclaration: addImport,
    ImportExpression: addImport,
    TSImportType: addImport,
    MemberExpression(node) {
      if (isProcess(node.object) && (node.computed || nameOf(node.property) === 'env')) {
        environmentLines.push(lineOf(node))
      }
    },
    VariableDeclarator: (node) => addTaking(node, node.id, node.init),
    AssignmentPattern: (node) => addTaking(node, node.left, node.right),
    AssignmentExpression: (node) => addTaking(node, node.left, node.right),
  }).visit(parseSync(file, text).program)
  return { file, imports, environmentLines }
}

/** `process` or `globalThis.process`. */
function isProcess(node: ESTree.Node): boolean {
  return nameOf(node.type === 'MemberExpression' ? node.property : node) === 'process'
}

/** `{ env }` or `{ env: variables }`. */
function takesEnvironment(pattern: ESTree.Node): boolean {
  if (pattern.type !== 'ObjectPattern') return false
  return pattern.properties.some((one) => one.type === 'Property' && nameOf(one.key) === 'env')
}

function nameOf(node: ESTree.Node): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
