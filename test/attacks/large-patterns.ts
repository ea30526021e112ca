const MAX_LENGTH = 1_000

/** A pattern of at most 1,000 characters: a text that is repeated as often as it fits. */
function filled(part: string, before = '', after = '', maxLength = MAX_LENGTH): string {
  return before + part.repeat((maxLength - before.length - after.length) / part.length) + after
}

/** As many groups within each other as fit. */
function nested(open: string, inner: string, close: string, maxLength = MAX_LENGTH): string {
  const depth = Math.floor((maxLength - inner.length) / (open.length + close.length))
  return open.repeat(depth) + inner + close.repeat(depth)
}

export const ideographs = (count: number) => Array.from({ length: count }, (_, i) => String.fromCodePoint(0x4e00 + i))

/** Patterns that re2js needs 10 ms to 1 s for. */
export const slowPatterns: Readonly<Record<string, string>> = {
  'optional repetitions': filled('x{0,1000}'),
  'repeated repetitions': filled('(x{30}){30}'),
  'a repetition of a repetition': filled('x{10}(?i){10}(?i){10}'),
  'a repeated group': `(?:${filled('abc', '', '', 900)}){1000}`,
  'repetitions without content': filled('(?:){1000}'),
  'letters by Unicode class': filled('\\pL', '(?i)'),
  'Unicode classes in a class': filled('\\pL\\PL', '(?i)[', ']'),
  'Unicode classes as alternatives': filled('\\pL|', '', 'a'),
  'a Unicode class in groups': nested('(?:', '\\pL', ')'),
  'a Unicode class in groups of alternatives': nested('(?:', '\\pL', '|b)'),
  'ranges with folded case': filled('[!-\u8000]', '(?i)'),
  'ranges with folded case in a class': filled('!-\u8000', '(?i)[', ']'),
  'ranges by number': filled('!-\\x{1e000}', '(?i)[', ']'),
  'a class without an end': filled('!-\u8000', '(?i)['),
  'an unknown escape at the end': filled('[!-\u8000]', '(?i)', '\\y'),
  'options after the beginning of the text': `(?m)\\A${ideographs(240)
    .map((character) => `(${character}|)`)
    .join('')
    .slice(0, 990)}\\z`,
  'groups that are repeated once': nested('(?:', 'a{800}', 'b){1}'),
}

/** Patterns that are just small enough. */
export const costlyPatterns: Readonly<Record<string, string>> = {
  'a repeated group': '(?:a[b-y]|z?){190}',
  'options after the beginning': `^${ideographs(450)
    .map((character) => `${character}?`)
    .join('')}$`,
  'few options after the beginning': `^${ideographs(30)
    .map((character) => `${character}?`)
    .join('')}$`,
  'Unicode classes': '\\pL'.repeat(8),
  'Unicode classes with folded case': '(?i)\\pL\\pM\\pN\\pL\\p{Alphabetic}',
  'a range with folded case': '(?i)[!-\u3300]',
  'a repeated character': 'a{990}',
  'groups of alternatives': nested('(?:ab|', 'c', ')', 820),
}
