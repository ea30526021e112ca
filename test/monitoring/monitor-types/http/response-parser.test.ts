import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  InvalidResponse,
  type ResponseHead,
  ResponseParser,
} from '../../../../src/monitoring/monitor-types/http/response-parser.ts'

interface Parsed {
  head: ResponseHead | undefined
  body: string
  isComplete: boolean
}

/** Feeds the pieces to a parser, then ends the connection. */
function parse(pieces: readonly Buffer[], isHead = false): Parsed {
  const seen: Parsed = { head: undefined, body: '', isComplete: false }
  const parser = new ResponseParser(isHead, {
    head: (head) => {
      seen.head = head
    },
    data: (bytes) => {
      seen.body += bytes.toString('latin1')
    },
    end: () => {
      seen.isComplete = true
    },
  })
  let isReadingBody = false
  for (const piece of pieces) {
    parser.feed(piece)
    if (seen.head !== undefined && !isReadingBody) {
      isReadingBody = true
      parser.readBody()
    }
  }
  parser.finish()
  return seen
}

const whole = (text: string, isHead = false): Parsed => parse([Buffer.from(text, 'latin1')], isHead)

/** Splits the text at the given positions. */
function cut(text: string, places: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, 'latin1')
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end))
}

const fieldName = fc.stringMatching(/^X-[A-Za-z][A-Za-z0-9-]{0,12}$/)
const fieldValue = fc.stringMatching(/^[!-~]([ -~]{0,20}[!-~])?$/)
const lineEnd = fc.constantFrom('\r\n', '\n')

const answers = fc.record({
  interim: fc.boolean(),
  status: fc.integer({ min: 200, max: 599 }),
  reason: fc.stringMatching(/^[ -~]{0,12}$/),
  fields: fc.uniqueArray(fc.tuple(fieldName, fieldValue), { maxLength: 5, selector: ([name]) => name.toLowerCase() }),
  body: fc.string({ unit: 'binary-ascii', maxLength: 300 }),
  framing: fc.constantFrom('length', 'chunks', 'close'),
  chunkSize: fc.integer({ min: 1, max: 40 }),
  end: lineEnd,
  cuts: fc.array(fc.nat(), { maxLength: 12 }),
})

function written(answer: typeof answers extends fc.Arbitrary<infer T> ? T : never): string {
  const { interim, status, reason, fields, body, framing, chunkSize, end } = answer
  const lines = [`HTTP/1.1 ${status} ${reason}`, ...fields.map(([name, value]) => `${name}:  ${value} `)]
  if (framing === 'length') lines.push(`content-LENGTH: ${body.length}`)
  if (framing === 'chunks') lines.push('Transfer-Encoding: Chunked')
  const head = `${interim ? `HTTP/1.1 103 Early Hints${end}Link: x${end}${end}` : ''}${lines.join(end)}${end}${end}`
  if (framing !== 'chunks') return head + body
  const chunks = body.match(new RegExp(`[^]{1,${chunkSize}}`, 'g')) ?? []
  const sent = chunks.map((chunk) => `${chunk.length.toString(16)};x=y${end}${chunk}${end}`).join('')
  return `${head}${sent}0${end}X-Trailer: z${end}${end}`
}

describe('a parsed response', () => {
  test('equals what was sent, however it is split', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const { status, fields, body, cuts } = answer
        const seen = parse(cut(written(answer), cuts))
        const hasBody = status !== 204 && status !== 304
        assert.equal(seen.head?.status, status)
        for (const [name, value] of fields) assert.equal(seen.head?.headers[name.toLowerCase()], value)
        assert.deepEqual([seen.body, seen.isComplete], [hasBody ? body : '', true])
      }),
      { numRuns: 2_000 },
    )
  })

  test('may have a chunk size in two reads, the second one full of body', () => {
    const body = 'x'.repeat(0x10000)
    const rest = `000\r\n${body}\r\n0\r\n\r\n`
    const pieces = ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '10', rest]
    assert.equal(parse(pieces.map((piece) => Buffer.from(piece))).body, body)
  })

  test('is incomplete when it breaks off, unless it ends with the connection', () => {
    fc.assert(
      fc.property(answers, fc.nat(), (answer, place) => {
        const { status, framing } = answer
        if (framing === 'close' || status === 204 || status === 304) return
        const text = written(answer)
        assert.equal(whole(text.slice(0, place % text.length)).isComplete, false)
      }),
      { numRuns: 1_000 },
    )
  })

  test('any bytes are parsed or refused with InvalidResponse', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'HTTP/1.1 200 OK\r\n'),
        fc.array(fc.uint8Array(), { maxLength: 6 }),
        (start, pieces) => {
          try {
            parse([Buffer.from(start), ...pieces.map((piece) => Buffer.from(piece))])
          } catch (error) {
            assert.ok(error instanceof InvalidResponse, String(error))
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  const refused: Readonly<Record<string, string>> = {
    'another protocol': 'SSH-2.0-OpenSSH_9.2\r\n',
    'HTTP/2': 'HTTP/2 200\r\n\r\n',
    'no status': 'HTTP/1.1 OK\r\n\r\n',
    'a status of four digits': 'HTTP/1.1 2000 OK\r\n\r\n',
    'a header without a name': 'HTTP/1.1 200 OK\r\n: x\r\n\r\n',
    'a header without a colon': 'HTTP/1.1 200 OK\r\nnonsense\r\n\r\n',
    'a space before the colon': 'HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\n',
    'a NUL in a header': 'HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n',
    'a lone carriage return': 'HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
    'a negative length': 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'a length with a sign': 'HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n',
    'a length and chunks': 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    'a chunk of no size': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n',
    'a chunk that is longer than announced': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n',
    'a folded line before any header': 'HTTP/1.1 200 OK\r\n folded\r\n\r\n',
  }
  for (const [what, text] of Object.entries(refused)) {
    test(`with ${what} is refused, in one piece and byte by byte`, () => {
      const pieces = [...text].map((character) => Buffer.from(character, 'latin1'))
      assert.throws(() => whole(text), InvalidResponse)
      assert.throws(() => parse(pieces), InvalidResponse)
    })
  }

  test('has no body after HEAD, 204 and 304, whatever it announces', () => {
    const announced = 'Content-Length: 5\r\n\r\n'
    assert.partialDeepStrictEqual(whole(`HTTP/1.1 200 OK\r\n${announced}`, true), { body: '', isComplete: true })
    for (const status of [204, 304]) assert.equal(whole(`HTTP/1.1 ${status} X\r\n${announced}hello`).body, '')
  })

  test('with a repeated length, folded lines and repeated headers is accepted as browsers do', () => {
    const { head, body } = whole(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\nX: a\r\n\tb\r\nX: c\r\nLocation: /a\r\nLocation: /b\r\n\r\nok',
    )
    assert.deepEqual([head?.headers.x, head?.headers.location, body], ['a b, c', '/a', 'ok'])
  })

  test('may have a header named __proto__', () => {
    const { head } = whole('HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\nContent-Length: 0\r\n\r\n')
    assert.deepEqual(Object.keys(head?.headers ?? {}), ['__proto__', 'constructor', 'content-length'])
  })

  test('takes time in proportion to its length, however it is split', () => {
    const spaces = `HTTP/1.1 200 OK\r\nX: ${' '.repeat(60_000)}x\r\n\r\n`
    // CPU time, which does not depend on what else the machine does.
    const before = process.threadCpuUsage()
    whole(spaces)
    parse([...spaces].map((character) => Buffer.from(character, 'latin1')))
    const { user, system } = process.threadCpuUsage(before)
    assert.ok(user + system < 2_000_000, `${user + system} µs`)
  })
})
