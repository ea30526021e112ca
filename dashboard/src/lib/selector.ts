import { parseSelector, type Selector, SelectorError, selectorText } from '../../../src/lib/selector.ts'
import { t } from './i18n.ts'

/** The selector of one label with one value. */
export function termFor(key: string, value: string): string {
  return selectorText([{ key, operator: 'in', values: [value] }])
}

/** The selector of the monitors without a label. */
export function absentTerm(key: string): string {
  return selectorText([{ key, operator: 'absent' }])
}

export function withTerm(selector: string, key: string, value: string): string {
  const terms = parsed(selector).filter((term) => term.key !== key)
  return selectorText([...terms, { key, operator: 'in', values: [value] }])
}

/** Empty if the text is not a selector. */
function parsed(text: string): Selector {
  try {
    return parseSelector(text)
  } catch {
    return []
  }
}

/** What is wrong with a selector; undefined if nothing is. */
export function faultIn(text: string): string | undefined {
  if (text.trim() === '') return undefined
  try {
    parseSelector(text)
    return undefined
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    const before = text.slice(0, error.position - 1).trim()
    const example = t('Example: {example}', { example: 'team=payments,env in (prod,staging),!legacy' })
    const fault =
      before === '' ? t('Can’t read this filter.') : t('Can’t read this filter after “{before}”.', { before })
    return `${fault} ${example}`
  }
}

/** "team: payments" for `team=payments`. */
export function describeTerm(text: string): string {
  const [term] = parsed(text)
  return term !== undefined && 'values' in term ? `${term.key}: ${term.values.join(', ')}` : text
}

/** The terms of a selector, each as text. */
export function termsOf(text: string): readonly string[] {
  return parsed(text).map((term) => selectorText([term]))
}

/** As the API takes it: null if the field is empty. */
export function selectorIn(text: string): string | null {
  return text.trim() === '' ? null : text
}
