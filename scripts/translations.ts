/**
 * Checks the catalogues of the dashboard in dashboard/src/languages, and lists what is not translated:
 *   node scripts/translations.ts            problems of all languages
 *   node scripts/translations.ts --missing de   the texts that German lacks, as JSON to fill in
 *   node scripts/translations.ts --sort     writes the catalogues in order, without texts that are not used any more
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Catalogue, problemsOf, sorted, textsOfDashboard } from './translations/catalogue.ts'

const folder = join(import.meta.dirname, '../dashboard/src/languages')
const languages = ['de', 'es', 'fr', 'ja', 'pt', 'zh']
const { values } = parseArgs({ options: { missing: { type: 'string' }, sort: { type: 'boolean', default: false } } })

const texts = textsOfDashboard()
const fileOf = (language: string): string => join(folder, `${language}.json`)
const catalogueOf = (language: string): Catalogue => JSON.parse(readFileSync(fileOf(language), 'utf8'))

if (values.missing !== undefined) {
  const catalogue = catalogueOf(values.missing)
  const missing = Object.fromEntries([...texts].filter(([text]) => !(text in catalogue)).map(([text]) => [text, '']))
  process.stdout.write(`${JSON.stringify(missing, null, 2)}\n`)
} else {
  let count = 0
  for (const language of languages) {
    if (values.sort)
      writeFileSync(fileOf(language), `${JSON.stringify(sorted(catalogueOf(language), texts), null, 2)}\n`)
    const problems = problemsOf(catalogueOf(language), texts, language)
    count += problems.length
    for (const problem of problems.slice(0, 20)) process.stdout.write(`${language}: ${problem}\n`)
    if (problems.length > 20) process.stdout.write(`${language}: and ${problems.length - 20} more\n`)
  }
  process.stdout.write(`${texts.size} texts, ${languages.length} languages, ${count} problems\n`)
  process.exitCode = count === 0 ? 0 : 1
}
