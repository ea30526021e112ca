import type { Assertion } from '../../../contract/check-options.ts'
import { compilePath, type JsonPath } from './json-path.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** Compiled expressions of this thread by their text; the least recently used one leaves first. */
function cacheOf<T>(capacity: number, compile: (text: string) => T): (text: string) => T {
  const cached = new Map<string, T>()
  return (text) => {
    const compiled = cached.get(text) ?? compile(text)
    cached.delete(text)
    cached.set(text, compiled)
    if (cached.size > capacity) cached.delete(cached.keys().next().value as string)
    return compiled
  }
}

const cachedPath = cacheOf(2_000, compilePath)
/** A pattern can take more than a megabyte. */
const cachedPattern = cacheOf(100, (text) => compilePattern(text))

/** The path of an assertion about JSON. Throws InvalidExpression. */
export function pathOf({ source, path }: Assertion): JsonPath | undefined {
  return source === 'JSON' ? cachedPath(path ?? '') : undefined
}

/** The pattern of an assertion with MATCHES. Throws InvalidExpression. */
export function patternOf({ operator, value }: Assertion): Pattern | undefined {
  return operator === 'MATCHES' ? cachedPattern(String(value)) : undefined
}
