import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { blank } from './blank.ts'

interface Import {
  readonly specifier: string
  /** The imported file, relative to the repository; null for a package. */
  readonly target: string | null
  readonly line: number
}

export interface Source {
  /** Relative to the repository, with forward slashes. */
  readonly file: string
  /** The text without comments and without the content of strings. */
  readonly code: string
  readonly imports: readonly Import[]
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
  const code = blank(text)
  const imports: Import[] = []
  for (const match of text.matchAll(/\b(from|import)\b\s*(\(\s*)?(['"])([^'"\n]+)\3/g)) {
    const [, keyword = '', parenthesis, , specifier = ''] = match
    // Skips keywords inside comments and strings, and calls of a function named `from`.
    if (!code.startsWith(keyword, match.index) || (keyword === 'from' && parenthesis)) continue
    const target = specifier.startsWith('.') ? withSlashes(normalize(join(dirname(file), specifier))) : null
    imports.push({ specifier, target, line: lineAt(text, match.index) })
  }
  return { file, code, imports }
}

export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function withSlashes(path: string): string {
  return path.replaceAll('\\', '/')
}
