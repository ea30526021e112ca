import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'
import type { Budget } from './budget.ts'
import { cacheOf } from './cache.ts'
import { measurePattern } from './measure-pattern.ts'

/** A path or pattern that is not valid, and where. */
export class InvalidExpression extends Error {
  /** Counted from 0. */
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

export interface Pattern {
  /** Whether a part of the text matches. */
  isIn(text: string, budget: Budget): boolean
  /** Whether the whole text matches. */
  isWhole(text: string, budget: Budget): boolean
}

/** It bounds the memory of a pattern and the time that it takes to compile: about 2 ms. */
const MAX_SIZE = 1_000
/** An alternative that never matches, so that the pattern does not begin with `^`. */
const NEVER = '\\za|'
/** Texts of this length match within a millisecond, whatever the pattern is. */
const SHORT_TEXT = 64
/** re2js keeps a state for what it has read so far, up to 8 MB. A new program starts without them. */
const RENEW_AFTER_MS = 5

/** An RE2 pattern. The position of an InvalidExpression is counted from `offset`. */
export function compilePattern(source: string, offset = 0): Pattern {
  try {
    return cachedPattern(source)
  } catch (error) {
    if (!(error instanceof InvalidExpression)) throw error
    throw new InvalidExpression(error.message, offset + error.position)
  }
}

/** Bounds several patterns that are compiled together. */
export class PatternAllowance {
  #size: number

  constructor(size: number) {
    this.#size = size
  }

  spend(source: string, offset: number): void {
    this.#size -= measurePattern(source).size
    if (this.#size < 0) throw tooLarge(offset)
  }
}

function tooLarge(offset: number): InvalidExpression {
  const causes = 'repetitions, classes such as \\p{L} or, with (?i), ranges of characters'
  return new InvalidExpression(`the pattern is too large: use fewer or smaller ${causes}`, offset)
}

/** Those of this thread. A pattern takes up to half a megabyte. */
const cachedPattern = cacheOf(100, compile)

function compile(source: string): Pattern {
  const { size, anchoredSize } = measurePattern(source)
  if (size > MAX_SIZE) throw tooLarge(0)
  const compiled = anchoredSize > MAX_SIZE ? NEVER + source : source
  let program = parse(compiled, source)
  let usedMs = 0
  const run = (text: string, budget: Budget, method: 'test' | 'testExact') => {
    budget.checkTime()
    const startedAt = performance.now()
    try {
      return program[method](text.length > SHORT_TEXT ? budget.metered(text) : text)
    } finally {
      usedMs += performance.now() - startedAt
      if (usedMs > RENEW_AFTER_MS) {
        program = RE2JS.compile(compiled)
        usedMs = 0
      }
    }
  }
  return {
    isIn: (text, budget) => run(text, budget, 'test'),
    isWhole: (text, budget) => run(text, budget, 'testExact'),
  }
}

/** Turns an error of re2js into ours. */
function parse(compiled: string, source: string): RE2JS {
  try {
    return RE2JS.compile(compiled)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (!(error instanceof RE2JSSyntaxException)) throw new InvalidExpression(error.message, 0)
    const part = error.getPattern() ?? ''
    const shown = part === compiled ? source : part
    throw new InvalidExpression(`${error.getDescription()} at ${JSON.stringify(shown)}`, positionOf(shown, source))
  }
}

/** re2js names the part that is wrong. */
function positionOf(part: string, source: string): number {
  return part === source ? 0 : Math.max(0, source.indexOf(part))
}
