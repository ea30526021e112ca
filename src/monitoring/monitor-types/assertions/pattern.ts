import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js'
import type { Budget } from './budget.ts'

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

/** Instructions of the compiled pattern; `[a-z]{500}` has 500. They bound its memory and the time that it takes to compile. */
const MAX_SIZE = 1_000
/** Texts of this length match within a millisecond, whatever the pattern is. */
const SHORT_TEXT = 64
/** re2js keeps a state for what it has read so far, up to 8 MB. A new program starts without them. */
const RENEW_AFTER_MS = 5

/** Compiles an RE2 pattern. Throws InvalidExpression with the position, counted from `offset`. */
export function compilePattern(source: string, offset = 0): Pattern {
  let program = compile(source, offset)
  let usedMs = 0
  const run = (text: string, budget: Budget, method: 'test' | 'testExact') => {
    budget.checkTime()
    const startedAt = performance.now()
    try {
      return program[method](text.length > SHORT_TEXT ? budget.metered(text) : text)
    } finally {
      usedMs += performance.now() - startedAt
      if (usedMs > RENEW_AFTER_MS) {
        program = RE2JS.compile(source)
        usedMs = 0
      }
    }
  }
  return {
    isIn: (text, budget) => run(text, budget, 'test'),
    isWhole: (text, budget) => run(text, budget, 'testExact'),
  }
}

function compile(source: string, offset: number): RE2JS {
  let program: RE2JS
  try {
    program = RE2JS.compile(source)
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    if (!(error instanceof RE2JSSyntaxException)) throw new InvalidExpression(error.message, offset)
    const part = error.getPattern() ?? ''
    throw new InvalidExpression(
      `${error.getDescription()} at ${JSON.stringify(part)}`,
      offset + positionOf(part, source),
    )
  }
  if (program.programSize() > MAX_SIZE)
    throw new InvalidExpression('the pattern is too large, such as by a high number of repetitions', offset)
  return program
}

/** re2js names the part that is wrong. */
function positionOf(part: string, source: string): number {
  return part === source ? 0 : Math.max(0, source.indexOf(part))
}
