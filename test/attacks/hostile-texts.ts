import { slowTexts } from './slow-markdown.ts'

/** On one line and short enough that no channel cuts them. */
export const hostileTexts: readonly string[] = [
  '<a href=//evil.example/signin>Your session ended</a>',
  '</b></td><a href="https://evil.example">x</a>',
  '<img src=x onerror=alert(1)><style>*{display:none}</style>',
  '<!channel> <@U024BE7LH> <https://evil.example|click>',
  '@everyone @here <@&123> <#1> ||spoiler|| <t:1>',
  '[x](http://evil.example) ![y](http://evil.example/p.png)',
  '<at>Everyone</at> {{DATE(2027-01-31T00:00:00Z,SHORT)}}',
  '{{{DATE(2027-01-31T00:00:00Z,SHORT)}}} {{{{x}}}}',
  '@channelname /start #tag',
  '**bold** __x__ `code` ~~gone~~ *a* _b_',
  '# heading',
  '> quote',
  '- item',
  '&lt;b&gt; &amp; &#60;b&#62; &quot;',
  '\\[x](http://evil.example) \\<b> \\\\*a*',
  'a\u0000b\u0007c\u001b[2Jd\u009b2Je\rf\u2028g\u202eh\u2066i\tj',
  ...Object.values(slowTexts).map((text) => text.slice(0, 40).replaceAll('\n', ' ').trim()),
]

/** What the service makes of a message: the text that people read, and all that is not text. */
export interface Rendered {
  readonly text: string
  readonly live: readonly string[]
}

/** Splits a text into what the pattern finds and the rest. */
export function split(text: string, pattern: RegExp): Rendered {
  return { text: text.replace(pattern, ''), live: text.match(pattern) ?? [] }
}

export function joined(parts: readonly Rendered[]): Rendered {
  return { text: parts.map(({ text }) => text).join('\n'), live: parts.flatMap(({ live }) => live) }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

export function html(source: string): Rendered {
  const { text, live } = split(source, /<style>[^<]*<\/style>|<[a-z/!?][^>]*>/gi)
  return { text: text.replace(/&(\w+|#\d+);/g, (whole, name) => entities[name] ?? whole), live }
}

export function slackText(source: string): Rendered {
  const { text, live } = split(source, /<[^>]*>/g)
  return { text: text.replace(/&(amp|lt|gt);/g, (_, name) => entities[name] as string), live }
}

/** All strings in a JSON value. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Some channels put a space or a word joiner into a text to make it harmless. */
export const squash = (text: string): string => text.replace(/[\s\u2060]/g, '')

export const CONTROLS = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/u
