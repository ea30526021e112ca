import type { Fault } from '../../contract/errors.ts'
import { joinPath } from '../../contract/validate.ts'

/** More than any operation needs: a status page with 1,000 entries has 2,100 keys. */
const MAX_KEYS = 5_000
const TOO_MANY_KEYS = 'is over the limit of 5,000 keys in a body'
const MAX_ITEMS = 20_000
const TOO_MANY_ITEMS = 'is over the limit of 20,000 list items in a body'
const MAX_DEPTH = 32
const TOO_DEEP = 'is nested deeper than 32 levels'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const isStructural = new Uint8Array(256)
for (const byte of [QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT]) isStructural[byte] = 1

/** A list or an object that the scan is in. */
interface Level {
  readonly isList: boolean
  /** In a list: the index of the item. In an object: where the quoted key begins. */
  at: number
}

/**
 * The first place of a JSON text that exceeds the number of keys, list items or levels that a body may have. Scans the bytes, because
 * `JSON.parse` takes 300 ms for 2 MiB of small objects, and the scan 10 ms. Invalid JSON is left to the parser, which stops at the
 * first error.
 */
export function boundFault(json: Buffer): Fault | undefined {
  const levels: Level[] = []
  let level: Level | undefined
  let [keys, items, commas, stringAt] = [0, 0, 0, 0]
  for (let i = nextStructural(json, 0); i < json.length; i = nextStructural(json, i + 1)) {
    const byte = json[i]
    if (byte === QUOTE) {
      stringAt = i
      i = endOfString(json, i)
    } else if (byte === COLON) {
      if (level !== undefined) level.at = stringAt
      keys += 1
      if (keys > MAX_KEYS) return fault(json, levels, TOO_MANY_KEYS)
    } else if (byte === COMMA) {
      commas += 1
      // More than there are keys and items: not valid JSON.
      if (commas > MAX_KEYS + MAX_ITEMS) return undefined
      if (level?.isList !== true) continue
      level.at += 1
      items += 1
      if (items > MAX_ITEMS) return fault(json, levels, TOO_MANY_ITEMS)
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (levels.length === MAX_DEPTH) return fault(json, levels, TOO_DEEP)
      level = { isList: byte === OPEN_LIST, at: 0 }
      levels.push(level)
      if (level.isList && !isEmptyList(json, i)) items += 1
      if (items > MAX_ITEMS) return fault(json, levels, TOO_MANY_ITEMS)
    } else {
      levels.pop()
      level = levels.at(-1)
      // The end of the value; only white space may follow.
      if (level === undefined) return undefined
    }
  }
  return undefined
}

/** A loop of its own, because V8 optimizes a small function sooner. */
function nextStructural(json: Buffer, start: number): number {
  let i = start
  while (i < json.length && isStructural[json[i] as number] === 0) i += 1
  return i
}

/** The position of the closing quote, or of the end of the text. */
function endOfString(json: Buffer, start: number): number {
  let i = start + 1
  while (i < json.length && json[i] !== QUOTE) i += json[i] === BACKSLASH ? 2 : 1
  return i
}

function isEmptyList(json: Buffer, start: number): boolean {
  let i = start + 1
  // White space, also bytes that the parser refuses.
  while ((json[i] as number) <= 0x20) i += 1
  return json[i] === CLOSE_LIST
}

function fault(json: Buffer, levels: readonly Level[], message: string): Fault {
  const path = levels.map(({ isList, at }) => (isList ? `${at}` : keyAt(json, at))).reduce(joinPath, '')
  return { path: path || 'body', message }
}

function keyAt(json: Buffer, start: number): string {
  try {
    return JSON.parse(json.toString('utf8', start, endOfString(json, start) + 1)) as string
  } catch {
    // Invalid JSON.
    return '?'
  }
}
