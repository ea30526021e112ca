import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { problemsOf, textsOfDashboard } from '../../scripts/translations/catalogue.ts'

const root = join(import.meta.dirname, '../..')
const texts = textsOfDashboard()

for (const file of globSync('dashboard/src/languages/*.json', { cwd: root })) {
  test(`${file} translates every text of the dashboard, with its placeholders and plural forms`, () => {
    const catalogue = JSON.parse(readFileSync(join(root, file), 'utf8'))
    assert.deepEqual(problemsOf(catalogue, texts, basename(file, '.json')), [])
  })
}

test('missing and unused texts, wrong placeholders and missing plural forms are found', () => {
  const known = new Map([
    ['Save', { places: [], isPlural: false }],
    ['{name} saved', { places: [], isPlural: false }],
    ['{count} days', { places: [], isPlural: true }],
  ])
  const catalogue = { '{name} saved': '{nom} enregistré', '{count} days': { other: '{count} jours' }, Old: 'Vieux' }
  assert.deepEqual(problemsOf(catalogue, known, 'fr'), [
    'missing: Save',
    'other placeholders: {name} saved',
    'lacks one: {count} days',
    'not used: Old',
  ])
})

test('the texts of the code are found with their places', () => {
  assert.ok(texts.get('Sign in')?.places.some((place) => place.startsWith('screens/accounts/sign-in.tsx:')))
  assert.equal(texts.get('{count} monitors')?.isPlural, true)
})
