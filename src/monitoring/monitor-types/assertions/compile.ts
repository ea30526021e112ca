import type { Assertion } from '../../../contract/check-options.ts'
import { cacheOf } from './cache.ts'
import { compilePath, type JsonPath } from './json-path.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** Those of this thread. */
const cachedPath = cacheOf(2_000, compilePath)

/** The path of an assertion about JSON. Throws InvalidExpression. */
export function pathOf({ source, path }: Assertion): JsonPath | undefined {
  return source === 'JSON' ? cachedPath(path ?? '') : undefined
}

/** The pattern of an assertion with MATCHES. Throws InvalidExpression. */
export function patternOf({ operator, value }: Assertion): Pattern | undefined {
  return operator === 'MATCHES' ? compilePattern(String(value)) : undefined
}
