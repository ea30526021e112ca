/** What it takes to compile a pattern, in the time that an instruction takes: 1 to 2 µs. */
export interface PatternSize {
  /** Instructions, with repetitions written out (`[a-z]{500}` has 500), and the time that its character classes take. */
  readonly size: number
  /** The size if it may begin with `^`: re2js prepares such patterns for a match without backtracking, in cubic time. */
  readonly anchoredSize: number
}

/** A part of a pattern, with its repetitions written out. */
interface Part {
  readonly steps: number
  /** Steps that match a character. */
  readonly characters: number
  /** Ranges of these characters. */
  readonly ranges: number
  /** The size of its character classes; re2js merges and sorts them again at the end of each group around them. */
  readonly classes: number
}

type ClassItem = Pick<Part, 'ranges' | 'classes'>

interface Group {
  readonly isCapture: boolean
  /** Outside of it. */
  readonly isFolding: boolean
  /** Alternatives before the current one. */
  alternatives: Part
  /** The current alternative without its last part, which a repetition would repeat. */
  start: Part
  last: Part
}

const NOTHING: Part = { steps: 0, characters: 0, ranges: 0, classes: 0 }
/** An assertion such as `^`, or an instruction without effect. */
const STEP: Part = { ...NOTHING, steps: 1 }
const CHARACTER: Part = { steps: 1, characters: 1, ranges: 1, classes: 0 }
/** A letter has up to four forms. */
const FOLDED_CHARACTER: Part = { ...CHARACTER, ranges: 4 }
/** Every program has two. */
const FIXED_STEPS = 2
/** Parts are copied for a repetition, and for each group of alternatives around them. */
const COPY_SIZE = 0.03
/** Of one range in one of the alternatives that begin at one place. */
const ONE_PASS_SIZE = 0.02

const RANGE_SIZE = 0.25
/** The largest Unicode classes have 700 ranges, most of the others less than 300. */
const TABLE_RANGES = 700
const TABLE_SIZE = 50
const LARGE_TABLE_SIZE = 120
const LARGE_TABLE = /^..(?:[CL]|\{\^?(?:[CL]\w?|Alphabetic|Assigned|Lowercase|Unknown|Uppercase)\})$/
/** `\w` has 4 ranges, and [:punct:] has 95 characters to fold. */
const NAMED_RANGES = 5
const NAMED_SIZE = 1
const FOLDED_NAMED_SIZE = 5
/** With `(?i)`, re2js looks at each character of a range from the first to the last of these. Most letters with two cases are before the second. */
const [FIRST_FOLDED, FEW_FOLDED, LAST_FOLDED] = [0x41, 0x3000, 0x1e943]
const FOLDED_SIZE = 0.075
const RARELY_FOLDED_SIZE = 0.025

const REPETITION = /\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\}/y
const FLAGS = /\(\?([imsU]*)(?:-([imsU]+))?([:)])/y
const NAMED_GROUP = /\(\?P?<[^>]*>/y
const TABLE = /\\[pP](?:\{[^}]*\}|[^{])/uy
const NAMED_CLASS = /\\[dDsSwW]/y
const POSIX_CLASS = /\[:\^?[a-z]+:\]/y
const ASSERTION = /\\[AbBz]/y
/** Up to `\E` or the end. */
const QUOTE = /\\Q(.*?)(?:\\E|$)/sy
const ONE_CHARACTER = /\\(?:x\{([\da-f]*)\}|x(..)|([0-7]{1,3})|([afnrtv])|.)|./isuy

/**
 * Measures a pattern without compiling it, in one pass over its text. What re2js refuses may end it early: re2js stops there, too.
 */
export function measurePattern(source: string): PatternSize {
  return new Scan(source).measure()
}

class Scan {
  readonly #source: string
  #at = 0
  #isFolding = false
  #isAnchored = false
  /** Paid once, however often the part is repeated. */
  #parsing = 0
  #group: Group = newGroup(false, false)
  readonly #outer: Group[] = []

  constructor(source: string) {
    this.#source = source
  }

  measure(): PatternSize {
    while (this.#at < this.#source.length && this.#scanPart()) {}
    while (this.#outer.length > 0) this.#closeGroup()
    const { steps, characters, ranges } = contentOf(this.#group)
    const size = FIXED_STEPS + steps + this.#parsing
    const onePassSize = steps + (1 + steps - characters) ** 2 * ranges * ONE_PASS_SIZE
    return { size, anchoredSize: this.#isAnchored ? size + onePassSize : size }
  }

  /** False if nothing after it counts. */
  #scanPart(): boolean {
    const first = this.#source[this.#at]
    switch (first) {
      case '(':
        return this.#openGroup()
      case ')':
        this.#at += 1
        this.#closeGroup()
        break
      case '|':
        this.#at += 1
        this.#group.alternatives = sum(contentOf(this.#group), STEP)
        this.#group.start = this.#group.last = NOTHING
        break
      case '[':
        return this.#scanClass()
      case '*':
      case '+':
      case '?':
        this.#at += 1
        this.#repeat(1, first === '*' ? 2 : 1)
        break
      case '{':
        if (!this.#scanRepetition()) this.#scanCharacter()
        break
      case '^':
      case '$':
        this.#at += 1
        this.#isAnchored ||= first === '^'
        this.#add(STEP)
        break
      case '\\':
        this.#scanEscape()
        break
      default:
        this.#scanCharacter()
    }
    return true
  }

  #openGroup(): boolean {
    const isFolding = this.#isFolding
    if (!this.#source.startsWith('(?', this.#at)) this.#at += 1
    else if (this.#match(NAMED_GROUP) === undefined) {
      const flags = this.#match(FLAGS)
      if (flags === undefined) return false
      const [, on, off, end] = flags
      this.#isFolding = !off?.includes('i') && (on?.includes('i') || isFolding)
      if (end === ':') this.#push(newGroup(false, isFolding))
      return true
    }
    this.#push(newGroup(true, isFolding))
    return true
  }

  #push(group: Group): void {
    this.#outer.push(this.#group)
    this.#group = group
  }

  #closeGroup(): void {
    const outer = this.#outer.pop()
    if (outer === undefined) return
    const content = contentOf(this.#group)
    const { isCapture, isFolding, alternatives } = this.#group
    this.#parsing += content.classes + (alternatives.steps > 0 ? COPY_SIZE * content.steps : 0)
    this.#isFolding = isFolding
    this.#group = outer
    this.#add(isCapture ? { ...content, steps: content.steps + 2, classes: 0 } : content)
  }

  #add(part: Part): void {
    this.#group.start = sum(this.#group.start, this.#group.last)
    this.#group.last = part
  }

  #repeat(copies: number, extraSteps: number): void {
    const { steps, characters, ranges } = this.#group.last
    this.#parsing += COPY_SIZE * steps
    this.#group.last = {
      steps: copies * steps + extraSteps,
      characters: copies * characters,
      ranges: copies * ranges,
      classes: 0,
    }
  }

  #scanRepetition(): boolean {
    const found = this.#match(REPETITION)
    if (found === undefined) return false
    const min = Number(found[1])
    const max = found[2] === undefined ? min : Number(found[3] ?? min)
    const isOpen = found[2] !== undefined && found[3] === undefined
    this.#repeat(Math.max(1, max), isOpen ? 2 : Math.max(0, max - min))
    return true
  }

  #scanEscape(): void {
    const quote = this.#match(QUOTE)
    if (quote !== undefined) {
      for (const _character of quote[1] ?? '') this.#addCharacter()
      return
    }
    const assertion = this.#match(ASSERTION)?.[0]
    if (assertion !== undefined) {
      this.#isAnchored ||= assertion === '\\A'
      this.#add(STEP)
      return
    }
    const set = this.#scanSet()
    if (set === undefined) this.#scanCharacter()
    else {
      this.#parsing += set.classes
      this.#add({ ...CHARACTER, ...set })
    }
  }

  #scanCharacter(): void {
    this.#match(ONE_CHARACTER)
    this.#addCharacter()
  }

  #addCharacter(): void {
    this.#add(this.#isFolding ? FOLDED_CHARACTER : CHARACTER)
  }

  /** A class that has a name, such as `\w` or `\p{L}`. */
  #scanSet(): ClassItem | undefined {
    if (this.#source[this.#at] !== '\\') return undefined
    const table = this.#match(TABLE)?.[0]
    if (table !== undefined) {
      const size = LARGE_TABLE.test(table) ? LARGE_TABLE_SIZE : TABLE_SIZE
      return { ranges: TABLE_RANGES, classes: this.#isFolding ? 2 * size : size }
    }
    return this.#match(NAMED_CLASS) && this.#namedClass()
  }

  #namedClass(): ClassItem {
    return { ranges: NAMED_RANGES, classes: this.#isFolding ? FOLDED_NAMED_SIZE : NAMED_SIZE }
  }

  #scanClass(): boolean {
    this.#at += this.#source[this.#at + 1] === '^' ? 2 : 1
    let ranges = 0
    let classes = 0
    for (let isFirst = true; isFirst || this.#source[this.#at] !== ']'; isFirst = false) {
      const item = this.#scanSet() ?? (this.#match(POSIX_CLASS) ? this.#namedClass() : this.#scanRange())
      if (item === undefined) return false
      ranges += item.ranges
      classes += item.classes
      // Now, because the class may have no end.
      this.#parsing += item.classes
    }
    this.#at += 1
    this.#add({ ...CHARACTER, ranges, classes })
    return true
  }

  #scanRange(): ClassItem | undefined {
    const low = this.#codePoint()
    if (low === undefined) return undefined
    let high = low
    if (this.#source[this.#at] === '-' && this.#source[this.#at + 1] !== ']') {
      this.#at += 1
      high = this.#codePoint() ?? low
    }
    const isFolded = this.#isFolding && !(low <= FIRST_FOLDED && high >= LAST_FOLDED)
    if (!isFolded) return { ranges: 1, classes: RANGE_SIZE }
    const often = overlap(low, high, FIRST_FOLDED, FEW_FOLDED - 1)
    const rarely = overlap(low, high, FEW_FOLDED, LAST_FOLDED)
    return {
      ranges: 1 + Math.min(often + rarely, TABLE_RANGES),
      classes: RANGE_SIZE + often * FOLDED_SIZE + rarely * RARELY_FOLDED_SIZE,
    }
  }

  /** Of the next character of a class. */
  #codePoint(): number | undefined {
    const found = this.#match(ONE_CHARACTER)
    if (found === undefined) return undefined
    const [text, braces, digits, octal, control] = found
    if (control !== undefined) return 0
    if (octal !== undefined) return Number.parseInt(octal, 8)
    // What is not hexadecimal is refused.
    if (braces !== undefined || digits !== undefined) return Number.parseInt(braces ?? digits ?? '', 16) || 0
    return text.codePointAt(text.length > 1 && text.startsWith('\\') ? 1 : 0)
  }

  /** Reads what comes next if it has this form. */
  #match(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at
    const found = form.exec(this.#source)
    if (found === null) return undefined
    this.#at = form.lastIndex
    return found
  }
}

function overlap(low: number, high: number, from: number, to: number): number {
  return Math.max(0, Math.min(high, to) - Math.max(low, from) + 1)
}

function newGroup(isCapture: boolean, isFolding: boolean): Group {
  return { isCapture, isFolding, alternatives: NOTHING, start: NOTHING, last: NOTHING }
}

/** What a group has so far. */
function contentOf({ alternatives, start, last }: Group): Part {
  const current = sum(start, last)
  return sum(alternatives, current.steps === 0 ? STEP : current)
}

function sum(a: Part, b: Part): Part {
  return {
    steps: a.steps + b.steps,
    characters: a.characters + b.characters,
    ranges: a.ranges + b.ranges,
    classes: a.classes + b.classes,
  }
}
