import { JSONPathEnvironment, JSONPathError, type JSONPathQuery, jsonpath } from 'json-p3'
import { reason } from '../../../reasons/reason.ts'
import type { Budget } from './budget.ts'
import { BudgetExceeded } from './budget.ts'
import { compilePattern, InvalidExpression, PatternAllowance } from './pattern.ts'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The values that a path selects. */
export type JsonPath = (root: Json, budget: Budget) => Json[]

type Select = (value: Json, root: Json, budget: Budget, found: Json[]) => void
type Expression = jsonpath.expressions.FilterExpression
/** Undefined: there is no value ("Nothing" in RFC 9535). */
type Evaluate<Result> = (current: Json, root: Json, budget: Budget) => Result

const { NameSelector, IndexSelector, SliceSelector, WildcardSelector, FilterSelector } = jsonpath.selectors
const expressions = jsonpath.expressions
const environment = new JSONPathEnvironment()

/** A deeper document would overflow the stack. */
const MAX_DEPTH = 200
/** Of all patterns of a path: as many as it has characters at most. Beside it, an assertion may have a pattern as its value. */
const MAX_PATTERN_SIZE = 500
/** A long text counts as several values. */
const CHARACTERS_PER_VISIT = 256

/**
 * Compiles a JSONPath (RFC 9535). json-p3 parses it; its evaluation has no bounds, fails on lists of 100,000 values and matches
 * patterns by backtracking, so the parsed path is evaluated here. Throws InvalidExpression.
 */
export function compilePath(path: string): JsonPath {
  let parsed: JSONPathQuery
  try {
    parsed = environment.compile(path)
  } catch (error) {
    if (error instanceof JSONPathError) throw new InvalidExpression(withoutContext(error.message), error.token.index)
    throw error
  }
  const select = compileQuery(parsed, new PatternAllowance(MAX_PATTERN_SIZE))
  return (root, budget) => select(root, root, budget)
}

/** json-p3 appends a part of the path and the position: `unexpected token ('$.a[':4)`. */
function withoutContext(message: string): string {
  return message.replace(/ \('.{0,9}':-?\d+\)$/s, '')
}

function compileQuery({ segments }: JSONPathQuery, allowance: PatternAllowance): Evaluate<Json[]> {
  const steps = segments.map(({ token, selectors }) => ({
    isDescendant: token.kind === jsonpath.TokenKind.DDOT,
    selectors: selectors.map((selector) => compileSelector(selector, allowance)),
  }))
  return (start, root, budget) => {
    let values: Json[] = [start]
    for (const { isDescendant, selectors } of steps) {
      const found: Json[] = []
      const selectFrom = (value: Json) => {
        budget.visit()
        for (const select of selectors) select(value, root, budget, found)
      }
      for (const value of values) isDescendant ? descend(value, selectFrom, 0) : selectFrom(value)
      values = found
    }
    return values
  }
}

function descend(value: Json, visit: (value: Json) => void, depth: number): void {
  if (depth > MAX_DEPTH) throw tooDeep()
  visit(value)
  for (const child of childrenOf(value)) descend(child, visit, depth + 1)
}

function tooDeep(): BudgetExceeded {
  return new BudgetExceeded(reason('json_depth', { count: MAX_DEPTH }))
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function childrenOf(value: Json): readonly Json[] {
  return isList(value) ? value : isObject(value) ? Object.values(value) : []
}

function compileSelector(selector: jsonpath.JSONPathSelector, allowance: PatternAllowance): Select {
  if (selector instanceof NameSelector) {
    const { name } = selector
    return (value, _root, _budget, found) => {
      if (isObject(value) && Object.hasOwn(value, name)) found.push(value[name] as Json)
    }
  }
  if (selector instanceof IndexSelector) {
    const { index } = selector
    return (value, _root, _budget, found) => {
      const item = isList(value) ? value.at(index) : undefined
      if (item !== undefined) found.push(item)
    }
  }
  if (selector instanceof SliceSelector) return selectSlice(selector)
  if (selector instanceof WildcardSelector) {
    return (value, _root, budget, found) => {
      const children = childrenOf(value)
      budget.visit(children.length)
      for (const child of children) found.push(child)
    }
  }
  const holds = compileLogical((selector as InstanceType<typeof FilterSelector>).expression, allowance)
  return (value, root, budget, found) => {
    for (const child of childrenOf(value)) {
      budget.visit()
      if (holds(child, root, budget)) found.push(child)
    }
  }
}

function selectSlice({ start, stop, step = 1 }: InstanceType<typeof SliceSelector>): Select {
  return (value, _root, budget, found) => {
    if (!isList(value) || step === 0) return
    const { length } = value
    const bound = (index: number | undefined, other: number) => {
      if (index === undefined) return other
      const from = index < 0 ? index + length : index
      return step > 0 ? Math.min(Math.max(from, 0), length) : Math.min(Math.max(from, -1), length - 1)
    }
    const end = bound(stop, step > 0 ? length : -1)
    for (let i = bound(start, step > 0 ? 0 : length - 1); step > 0 ? i < end : i > end; i += step) {
      budget.visit()
      found.push(value[i] as Json)
    }
  }
}

/** A condition: a query holds if it selects anything. */
function compileLogical(expression: Expression, allowance: PatternAllowance): Evaluate<boolean> {
  if (expression instanceof expressions.LogicalExpression) return compileLogical(expression.expression, allowance)
  if (expression instanceof expressions.PrefixExpression) {
    const holds = compileLogical(expression.right, allowance)
    return (...at) => !holds(...at)
  }
  if (expression instanceof expressions.FilterQuery) {
    const query = compileInner(expression, allowance)
    return (...at) => query(...at).length > 0
  }
  if (expression instanceof expressions.FunctionExtension) return compileMatch(expression, allowance)
  const { left, operator, right } = expression as InstanceType<typeof expressions.InfixExpression>
  if (operator === '&&' || operator === '||') {
    const [first, second] = [compileLogical(left, allowance), compileLogical(right, allowance)]
    return operator === '&&' ? (...at) => first(...at) && second(...at) : (...at) => first(...at) || second(...at)
  }
  const [first, second] = [compileValue(left, allowance), compileValue(right, allowance)]
  return (current, root, budget) =>
    compare(first(current, root, budget), operator, second(current, root, budget), budget)
}

function compileInner(
  query: InstanceType<typeof expressions.FilterQuery>,
  allowance: PatternAllowance,
): Evaluate<Json[]> {
  const select = compileQuery(query.path, allowance)
  if (query instanceof expressions.RootQuery) return (_current, root, budget) => select(root, root, budget)
  return select
}

/** An operand of a comparison or a function; the parser ensures that it has at most one value. */
function compileValue(expression: Expression, allowance: PatternAllowance): Evaluate<Json | undefined> {
  if (expression instanceof expressions.FilterQuery) {
    const query = compileInner(expression, allowance)
    return (...at) => query(...at)[0]
  }
  if (expression instanceof expressions.NullLiteral) return () => null
  if (!(expression instanceof expressions.FunctionExtension)) {
    const { value } = expression as InstanceType<typeof expressions.StringLiteral>
    return () => value
  }
  const [argument] = expression.args as [Expression]
  if (expression.name === 'length') {
    const operand = compileValue(argument, allowance)
    return (current, root, budget) => lengthOf(operand(current, root, budget), budget)
  }
  const query = compileInner(argument as InstanceType<typeof expressions.FilterQuery>, allowance)
  if (expression.name === 'count') return (...at) => query(...at).length
  // value()
  return (...at) => {
    const values = query(...at)
    return values.length === 1 ? values[0] : undefined
  }
}

function lengthOf(value: Json | undefined, budget: Budget): number | undefined {
  if (typeof value === 'string') {
    budget.visit(value.length / CHARACTERS_PER_VISIT)
    let count = 0
    for (const _character of value) count += 1
    return count
  }
  return value === undefined || typeof value !== 'object' || value === null ? undefined : childrenOf(value).length
}

/** match() and search(). */
function compileMatch(
  { name, args }: InstanceType<typeof expressions.FunctionExtension>,
  allowance: PatternAllowance,
): Evaluate<boolean> {
  const [textOf, pattern] = [compileValue(args[0] as Expression, allowance), args[1]]
  // A pattern of the document would have to be compiled for each value.
  if (!(pattern instanceof expressions.StringLiteral))
    throw new InvalidExpression(`the pattern of ${name}() must be a text in quotes`, pattern?.token.index ?? 0)
  const { value, token } = pattern
  allowance.spend(value, token.index)
  compilePattern(value, token.index)
  const method = name === 'match' ? 'isWhole' : 'isIn'
  return (current, root, budget) => {
    const text = textOf(current, root, budget)
    // The path does not keep the pattern, which is large.
    return typeof text === 'string' && compilePattern(value)[method](text, budget)
  }
}

function compare(left: Json | undefined, operator: string, right: Json | undefined, budget: Budget): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right, budget)
    case '!=':
      return !isEqual(left, right, budget)
    case '<':
      return isLess(left, right, budget)
    case '>':
      return isLess(right, left, budget)
    case '<=':
      return isLess(left, right, budget) || isEqual(left, right, budget)
    default:
      return isLess(right, left, budget) || isEqual(left, right, budget)
  }
}

function isLess(left: Json | undefined, right: Json | undefined, budget: Budget): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left < right
  if (typeof left !== 'string' || typeof right !== 'string') return false
  budget.visit(left.length / CHARACTERS_PER_VISIT)
  return left < right
}

function isEqual(left: Json | undefined, right: Json | undefined, budget: Budget, depth = 0): boolean {
  if (depth > MAX_DEPTH) throw tooDeep()
  budget.visit(typeof left === 'string' ? 1 + left.length / CHARACTERS_PER_VISIT : 1)
  if (left === right) return true
  if (left === undefined || right === undefined) return false
  if (isList(left)) {
    if (!isList(right) || left.length !== right.length) return false
    return left.every((item, i) => isEqual(item, right[i], budget, depth + 1))
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  budget.visit(keys.length)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], budget, depth + 1))
}
