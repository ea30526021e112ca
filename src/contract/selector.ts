import Type from 'typebox'
import { MAX_SELECTOR_CHARS, parseSelector, type Selector, SelectorError, selectorPattern } from '../lib/selector.ts'
import { type Fault, invalid } from './errors.ts'
import { documented } from './schema.ts'

export const SelectorText = documented(
  Type.String({
    minLength: 1,
    maxLength: MAX_SELECTOR_CHARS,
    description:
      'A selector, such as `team=payments,env in (prod,staging),!legacy`: conditions separated by commas, all of which hold. ' +
      '`key=value`, `key!=value`, `key in (a,b)`, `key notin (a,b)`, `key` (the label exists), `!key` (it does not). Values ' +
      'with spaces, commas, parentheses or quotes are written in double quotes.',
  }),
  { pattern: selectorPattern, examples: ['team=payments,env in (prod,staging),!legacy'] },
)

/** The selector that a text means, or its fault. */
export function parsedSelector(
  text: string,
  path: string,
): { readonly selector: Selector } | { readonly faults: readonly Fault[] } {
  try {
    return { selector: parseSelector(text) }
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error
    return { faults: [{ path, message: `is not a valid selector: ${error.message} (character ${error.position})` }] }
  }
}

/** Throws a `validation_error` that names the field and the character. */
export function readSelector(text: string, path: string): Selector {
  const parsed = parsedSelector(text, path)
  if ('faults' in parsed) throw invalid(parsed.faults)
  return parsed.selector
}
