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
  return filesAt(root, '{src,dashboard,clients}/**/*.{ts,tsx,js,mjs}')
    .filter((file) => !/(^|\/)(node_modules|generated|dist)\//.test(file))
    .map((file) => readSource(root, file))
}

/** The files that match, relative to the root. */
export function filesAt(root: string, pattern: string): string[] {
  return globSync(pattern, { cwd: root }).map(withSlashes).sort()
}

function readSource(root: string, file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  const parsed = parseSync(file, text)
  const { staticImports, staticExports } = parsed.module
  const exported = staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest ?? []))
  /** By position, because each name of an export has its own. */
  const specifiers = new Map(
    [...staticImports.map(({ moduleRequest }) => moduleRequest), ...exported].map(({ start, value }) => [start, value]),
  )
  const environment: number[] = []
  const addImport = ({ source }: { readonly source: ESTree.Expression }): void => {
    if (source.type === 'Literal' && typeof source.value === 'string') specifiers.set(source.start, source.value)
  }
  const addTaking = ({ start }: ESTree.Span, pattern: ESTree.Node, value: ESTree.Node | null): void => {
    if (value !== null && isProcess(value) && takesEnvironment(pattern)) environment.push(start)
  }
  // To read all trees takes ten times as long.
  if (/\bimport\s*\(|\bprocess\b/.test(text)) {
    new Visitor({
      ImportExpression: addImport,
      TSImportType: addImport,
      MemberExpression(node) {
        const isRead = isProcess(node.object) && (node.computed || nameOf(node.property) === 'env')
        if (isRead) environment.push(node.start)
      },
      VariableDeclarator: (node) => addTaking(node, node.id, node.init),
      AssignmentPattern: (node) => addTaking(node, node.left, node.right),
      AssignmentExpression: (node) => addTaking(node, node.left, node.right),
    }).visit(parsed.program)
  }
  const lineAt = (index: number) => text.slice(0, index).split('\n').length
  const imports = Array.from(specifiers, ([start, specifier]) => {
    const target = specifier.startsWith('.') ? withSlashes(normalize(join(dirname(file), specifier))) : null
    return { specifier, target, line: lineAt(start) }
  })
  return { file, imports, environmentLines: environment.map(lineAt) }
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
