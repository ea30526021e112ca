import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Translations by English text; of texts with a count, the forms by plural category. */
export type Catalogue = Readonly<Record<string, string | Readonly<Record<string, string>>>>

/** What the code passes to t(), tx(), sentence() and plural(): where it is used, and whether it has a count. */
export interface Text {
  readonly places: string[]
  readonly isPlural: boolean
}

const source = join(import.meta.dirname, '../../dashboard/src')
const literal = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`
const plain = new RegExp(String.raw`\b(?:tx?|sentence)\(\s*${literal}`, 'g')
const counted = new RegExp(String.raw`\bplural\([^'"]*?,\s*${literal}(?:,\s*${literal})?`, 'g')

/** Every text of the dashboard, by its English form. */
export function textsOfDashboard(): ReadonlyMap<string, Text> {
  const texts = new Map<string, Text>()
  for (const file of globSync('**/*.{ts,tsx}', { cwd: source, exclude: ['**/generated/**', 'lib/i18n.ts'] }).sort()) {
    const code = readFileSync(join(source, file), 'utf8')
    const add = (text: string, isPlural: boolean, at: number): void => {
      const place = `${file}:${code.slice(0, at).split('\n').length}`
      const known = texts.get(text)
      if (known === undefined) texts.set(text, { places: [place], isPlural })
      else known.places.push(place)
    }
    for (const match of code.matchAll(plain)) add(unquoted(match[1] as string), false, match.index)
    for (const match of code.matchAll(counted)) {
      const [one, many] = [unquoted(match[1] as string), match[2]]
      add(`{count} ${many === undefined ? `${one}s` : unquoted(many)}`, true, match.index)
    }
  }
  return texts
}

function unquoted(quoted: string): string {
  const inside = quoted.slice(1, -1)
  return JSON.parse(`"${inside.replaceAll(/\\'/g, "'").replaceAll(/(?<!\\)"/g, '\\"')}"`)
}

const placeholdersIn = (text: string): string =>
  [...text.matchAll(/\{(\w+)\}/g)]
    .map(([name]) => name)
    .sort()
    .join(' ')

/** Missing and unused texts, wrong placeholders and plural forms. */
export function problemsOf(
  catalogue: Catalogue,
  texts: ReadonlyMap<string, Text>,
  language: string,
): readonly string[] {
  const problems: string[] = []
  const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
  // "many" of French, Portuguese and Spanish is for millions; "other" stands in for it.
  const categories = pluralCategories.filter((category) => category !== 'many')
  for (const [text, { isPlural }] of texts) {
    const translated = catalogue[text]
    if (translated === undefined) problems.push(`missing: ${text}`)
    else if (isPlural !== (typeof translated === 'object'))
      problems.push(`needs ${isPlural ? 'plural forms' : 'one text'}: ${text}`)
    else if (typeof translated === 'object') {
      const lacking = categories.filter((category) => !translated[category])
      if (lacking.length > 0) problems.push(`lacks ${lacking.join(', ')}: ${text}`)
    } else if (translated === '') problems.push(`empty: ${text}`)
    else if (placeholdersIn(translated) !== placeholdersIn(text)) problems.push(`other placeholders: ${text}`)
  }
  for (const text of Object.keys(catalogue)) if (!texts.has(text)) problems.push(`not used: ${text}`)
  return problems
}

/** In alphabetical order, without texts that are not used. */
export function sorted(catalogue: Catalogue, texts: ReadonlyMap<string, Text>): Catalogue {
  const entries = Object.entries(catalogue).filter(([text]) => texts.has(text))
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
