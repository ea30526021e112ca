import type { NetworkTools } from './attempt.ts'
import { checkResponse } from './http/check-response.ts'
import { createTextDecoder, EXCERPT_CHARS, excerptOf } from './http/decode-text.ts'
import { readBody } from './http/read-body.ts'
import type { Probe } from './probe.ts'

const MAX_SEARCHED_BYTES = 1024 * 1024
const SHOWN_KEYWORD_CHARS = 100

/** An HTTP target whose body must, or must not, contain a text in its first MiB. Upper and lower case differ. */
export const probeKeyword: Probe<NetworkTools> = (target, tools, signal) => {
  const keyword = target.keyword ?? ''
  return checkResponse(target, tools, signal, async (answer, visitSignal) => {
    const search = searchFor(keyword, answer.headers['content-type'])
    await readBody(answer, search.take, visitSignal, 'decoded')
    const isWanted = target.keywordMatch === 'EXISTS'
    if (search.isFound() === isWanted) return null
    const shown = keyword.length > SHOWN_KEYWORD_CHARS ? `${keyword.slice(0, SHOWN_KEYWORD_CHARS)}…` : keyword
    const error = isWanted ? `The answer does not contain "${shown}"` : `The answer contains "${shown}"`
    return { code: 'KEYWORD', kind: 'content', error: error.toWellFormed(), excerpt: excerptOf(search.start()) }
  })
}

/** A search over text that arrives in pieces: the end of each piece is kept, as long as a match could begin in it. */
function searchFor(keyword: string, contentType: string | undefined) {
  const reader = createTextDecoder(contentType)
  let unread = MAX_SEARCHED_BYTES
  let start = ''
  let tail = ''
  let found = keyword === ''

  const look = (piece: string) => {
    if (start.length < EXCERPT_CHARS) start += piece.slice(0, EXCERPT_CHARS - start.length)
    const text = tail + piece
    found ||= text.includes(keyword)
    tail = keyword.length > 1 ? text.slice(1 - keyword.length) : ''
  }
  return {
    take(chunk: Buffer): boolean {
      const bytes = chunk.length > unread ? chunk.subarray(0, unread) : chunk
      unread -= bytes.length
      look(reader.decode(bytes))
      return !found && unread > 0
    },
    isFound(): boolean {
      if (!found) look(reader.end())
      return found
    },
    start: () => start,
  }
}
