import { mapTexts } from '../lib/variables.ts'

type Document = Readonly<Record<string, unknown>>

/** The variables that are used in a value, in order of name. */
export function variablesIn(value: unknown, known: ReadonlySet<string> = new Set()): string[] {
  const json = JSON.stringify(value)
  return [...known].filter((name) => json.includes(`\${${name}}`)).sort()
}

/** The document as a file has it: `${NAME}` of a known variable stays, every other `${` is a literal one, which is written `$${`. */
export function forFile(document: Document, variables: readonly string[]): Document {
  const known = new Set(variables)
  return mapTexts(document, (text) =>
    text.replace(/\$\{(?:([A-Za-z_]\w*)\})?/g, (whole, name: string | undefined) =>
      name !== undefined && known.has(name) ? whole : `$${whole}`,
    ),
  ) as Document
}

/** The document with the values of its variables. Those without a value stay. */
export function withValues(document: Document, values: Readonly<Record<string, string | undefined>>): Document {
  return mapTexts(document, (text) =>
    text.replace(
      /\$\{([A-Za-z_]\w*)\}/g,
      (whole, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined) ?? whole,
    ),
  ) as Document
}
