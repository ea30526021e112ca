import { excerptOf } from '../../../outbound/excerpt.ts'
import { reason } from '../../../reasons/reason.ts'
import type { NetworkTools, Probe } from '../definition.ts'
import { checkResponse } from '../http/check-response.ts'
import { createTextDecoder, EXCERPT_CHARS } from '../http/decode-text.ts'
import { readBody } from '../http/read-body.ts'
import type { HttpTarget } from '../http/request.ts'

export interface KeywordTarget extends HttpTarget {
  readonly keyword: string | null
  readonly keywordMatch: 'EXISTS' | 'NOT_EXISTS'
}

const MAX_SEARCHED_BYTES = 1024 * 1024
const SHOWN_KEYWORD_CHARS = 100

/** An HTTP target whose body must, or must not, contain a text in its first MiB. The search is case-sensitive. */
export const probeKeyword: Probe<NetworkTools, KeywordTarget> = (target, tools, signal) => {
  const keyword = target.keyword ?? ''
  return checkResponse(target, tools, signal, async (response, attemptSignal, text) => {
    const search = searchFor(keyword, response.headers['content-type'])
    if (text === undefined) await readBody(response, search.take, attemptSignal, 'decoded')
    else search.takeText(text)
    const mustExist = target.keywordMatch === 'EXISTS'
    if (search.isFound() === mustExist) return null
    const shown = keyword.length > SHOWN_KEYWORD_CHARS ? `${keyword.slice(0, SHOWN_KEYWORD_CHARS)}…` : keyword
    return {
      code: 'KEYWORD',
      kind: 'content',
      error: reason(mustExist ? 'keyword_missing' : 'keyword_found', { keyword: shown.toWellFormed() }),
      excerpt: excerptOf(search.start(), EXCERPT_CHARS),
    }
  })
}

/** Searches text that arrives in pieces. The end of each piece is kept, because a match may span two. */
function searchFor(keyword: string, contentType: string | undefined) {
  const decoder = createTextDecoder(contentType)
  let bytesLeft = MAX_SEARCHED_BYTES
  let start = ''
  let tail = ''
  let isFound = keyword === ''

  const searchIn = (piece: string) => {
    if (start.length < EXCERPT_CHARS) start += piece.slice(0, EXCERPT_CHARS - start.length)
    const text = tail + piece
    isFound ||= text.includes(keyword)
    tail = keyword.length > 1 ? text.slice(1 - keyword.length) : ''
  }
  return {
    takeText: searchIn,
    take(chunk: Buffer): boolean {
      const bytes = chunk.length > bytesLeft ? chunk.subarray(0, bytesLeft) : chunk
      bytesLeft -= bytes.length
      searchIn(decoder.decode(bytes))
      return !isFound && bytesLeft > 0
    },
    isFound(): boolean {
      if (!isFound) searchIn(decoder.end())
      return isFound
    },
    start: () => start,
  }
}
