/** A text in which escapes of others may have been undone. */
export interface View {
  readonly text: string
  /** Where a character begins in the original text; for the length of `text`, the length of the original. */
  readonly offsetOf: (index: number) => number
}

interface Escape {
  /** Every escape begins with it. */
  readonly sign: string
  readonly pattern: RegExp
  /** Undefined: it is none. */
  readonly read: (match: RegExpExecArray) => string | undefined
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }
const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

/** Each pattern also finds an escape that is cut off, which stands for nothing. */
const escapes: readonly Escape[] = [
  {
    sign: '&',
    pattern: /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));|&[#\w]{0,8}(?=…|$)/g,
    read: ([, decimal, hex, name]) => {
      if (decimal !== undefined) return character(Number(decimal))
      if (hex !== undefined) return character(Number.parseInt(hex, 16))
      return name === undefined ? '' : named[name]
    },
  },
  {
    sign: '\\',
    pattern: /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^ux…]))|\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?(?=…|$)/g,
    read: ([, long, short, other]) => {
      const hex = long ?? short
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
      return other === undefined ? '' : (controls[other] ?? other)
    },
  },
  {
    // One character per byte: UTF-8 is searched for in that form.
    sign: '%',
    pattern: /%([0-9a-fA-F]{2})|%[0-9a-fA-F]?(?=…|$)/g,
    read: ([, hex]) => (hex === undefined ? '' : String.fromCharCode(Number.parseInt(hex, 16))),
  },
]

/** A page may show JSON, and JSON a page or an address. */
const ROUNDS = 2

/** The text as it is, and after each kind of escape (HTML, JSON, percent) has been undone. */
export function* viewsOf(text: string): Generator<View> {
  let view: View = { text, offsetOf: (index) => index }
  yield view
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const kind of escapes) {
      const next = undo(kind, view)
      if (next === view) continue
      view = next
      yield view
    }
  }
}

function undo({ sign, pattern, read }: Escape, view: View): View {
  if (!view.text.includes(sign)) return view
  const offsets: number[] = []
  let text = ''
  let copied = 0
  const copyUpTo = (end: number): void => {
    for (let i = copied; i < end; i += 1) offsets.push(view.offsetOf(i))
    text += view.text.slice(copied, end)
  }
  for (const match of view.text.matchAll(pattern)) {
    const value = read(match)
    if (value === undefined) continue
    copyUpTo(match.index)
    for (let i = 0; i < value.length; i += 1) offsets.push(view.offsetOf(match.index))
    text += value
    copied = match.index + match[0].length
  }
  if (copied === 0) return view
  copyUpTo(view.text.length)
  offsets.push(view.offsetOf(view.text.length))
  return { text, offsetOf: (index) => offsets[index] as number }
}

function character(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
