import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { query } from 'json-p3'
import { Budget } from '../../../../src/monitoring/monitor-types/assertions/budget.ts'
import { compilePath, type Json } from '../../../../src/monitoring/monitor-types/assertions/json-path.ts'

function select(path: string, document: Json): Json[] {
  const budget = new Budget()
  return compilePath(path)(document, budget)
}

/** The document of RFC 9535, section 1.5. */
const store = {
  store: {
    book: [
      { category: 'reference', author: 'Nigel Rees', title: 'Sayings of the Century', price: 8.95 },
      { category: 'fiction', author: 'Evelyn Waugh', title: 'Sword of Honour', price: 12.99 },
      { category: 'fiction', author: 'Herman Melville', title: 'Moby Dick', isbn: '0-553-21311-3', price: 8.99 },
      {
        category: 'fiction',
        author: 'J. R. R. Tolkien',
        title: 'The Lord of the Rings',
        isbn: '0-395-19395-8',
        price: 22.99,
      },
    ],
    bicycle: { color: 'red', price: 399 },
  },
}

test('the examples of RFC 9535', () => {
  const { book, bicycle } = store.store
  const authors = book.map(({ author }) => author)
  const cases: readonly (readonly [string, Json[]])[] = [
    ['$.store.book[*].author', authors],
    ['$..author', authors],
    ['$.store.*', [book, bicycle]],
    ['$.store..price', [...book.map(({ price }) => price), 399]],
    ['$..book[2]', [book[2] as Json]],
    ['$..book[2].publisher', []],
    ['$..book[-1]', [book[3] as Json]],
    // An array is not a string, even if JavaScript would turn it into one.
    ["$.store[?match(@, '.*')]", []],
    ['$..book[0,1]', book.slice(0, 2)],
    ['$..book[:2]', book.slice(0, 2)],
    ['$..book[?@.isbn]', book.slice(2)],
    ['$..book[?@.price<10]', [book[0] as Json, book[2] as Json]],
    ['$..book[?@.price < $.store.bicycle.price && !@.isbn].title', ['Sayings of the Century', 'Sword of Honour']],
    ["$..book[?match(@.author, 'J.*')].title", ['The Lord of the Rings']],
    ["$..book[?search(@.title, 'o[fb]')].price", [8.95, 12.99, 8.99, 22.99]],
    ['$[?count(@.book[*]) == 4].bicycle.color', ['red']],
    ['$..book[?length(@.title) < 10].title', ['Moby Dick']],
    ['$..book[?value(@..isbn) == "0-395-19395-8"].price', [22.99]],
    ['$.store.book[1:3].price', [12.99, 8.99]],
    ['$.store.book[::-1].price', [22.99, 8.99, 12.99, 8.95]],
  ]
  // The order of the children of an object is not defined for $..price.
  for (const [path, expected] of cases) assert.deepEqual(select(path, store).toSorted(), expected.toSorted(), path)
})

test('selects what json-p3 selects', () => {
  const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'length')
  const { document } = fc.letrec<{ document: Json }>((tie) => ({
    document: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<Json>(null, true, false, 0, 1, -2.5, '', 'a', 'ab', '😀'),
      fc.array(tie('document'), { maxLength: 4 }),
      fc.dictionary(name, tie('document'), { maxKeys: 4, noNullPrototype: true }) as fc.Arbitrary<Json>,
    ),
  }))
  const operand = fc.constantFrom('@', '@.a', '@.b[0]', '$.c', '1', "'a'", 'null', 'true', 'count(@.*)', 'value(@..a)')
  // Without match(): json-p3 matches arrays of one string.
  const condition = fc.oneof(
    fc.constantFrom('@.a', '!@.b', '@..c', "search(@, 'b')", '@.a && @.b || @.c', '!(@.a || @.b)'),
    fc.tuple(operand, fc.constantFrom('==', '!=', '<', '<=', '>', '>='), operand).map((parts) => parts.join(' ')),
  )
  const selector = fc.oneof(
    fc.constantFrom("'a'", "'__proto__'", '*', '0', '-1', '5', ':2', '1:', '::-1', '3:0:-2', '-2:', '::2'),
    condition.map((text) => `?${text}`),
  )
  const segment = fc
    .tuple(fc.constantFrom('', '', '..'), fc.array(selector, { minLength: 1, maxLength: 2 }))
    .map(([descent, selectors]) => `${descent}[${selectors.join(',')}]`)
  const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `$${segments.join('')}`)
  fc.assert(
    fc.property(path, document, (text, value) => {
      assert.deepEqual(select(text, value), query(text, value as never).values())
    }),
    { numRuns: 3_000 },
  )
})
