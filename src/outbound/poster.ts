import { startDeadline } from './deadline.ts'
import { ConnectError, OutboundError } from './errors.ts'
import type { Guard } from './guard.ts'
import { type Answer, type Line, openLine } from './line.ts'
import { Lines } from './lines.ts'
import type { Letter, Post, Posted } from './post.ts'
import type { Stop } from './stop.ts'
import { hostOf } from './urls.ts'

/** For the whole exchange, from the look-up to the last byte, whatever the other side does. */
const TIMEOUT_MS = 15_000
/** What is kept of an answer. */
const EXCERPT_CHARS = 4096

export interface PosterOptions {
  readonly guard: Guard
  /** Tests wait less long. */
  readonly timeoutMs?: number
}

export interface Poster {
  readonly post: Post
  /** Connections that wait for their next letter. */
  readonly idle: number
  close(): void
}

/**
 * Sends letters through the guard and keeps connections for the next one. The name is looked up and judged for every
 * letter, also where a connection is at hand.
 */
export function createPost({ guard, timeoutMs = TIMEOUT_MS }: PosterOptions): Poster {
  const lines = new Lines()

  async function send(letter: Letter, signal: Stop): Promise<Answer> {
    const url = urlOf(letter)
    const addresses = await judge(url, signal)
    const kept = lines.take(url.origin, addresses)
    if (kept !== undefined) {
      const before = kept.bytesRead
      try {
        return await speak(kept, letter, url, signal)
      } catch (error) {
        // The other side may have closed a kept connection just as it was used again: as long as it said nothing, that
        // is no failure of its own, and the letter goes out on a fresh one.
        if (signal.aborted || !(error instanceof ConnectError) || kept.bytesRead !== before) throw error
      }
    }
    return await speak(await openLine(url, addresses, guard, signal), letter, url, signal)
  }

  async function speak(line: Line, letter: Letter, url: URL, signal: Stop): Promise<Answer> {
    const answer = await line.exchange(letter, url.pathname + url.search, signal)
    lines.keep(line)
    return answer
  }

  async function judge(url: URL, signal: Stop): Promise<readonly string[]> {
    try {
      return (await guard.resolve(hostOf(url), signal)).addresses
    } catch (error) {
      lines.drop(url.origin)
      throw error
    }
  }

  return {
    async post(letter, signal) {
      const startedAt = performance.now()
      using deadline = startDeadline(timeoutMs, signal)
      const durationMs = (): number => Math.round(performance.now() - startedAt)
      try {
        const { status, retryAfter, body } = await send(letter, deadline.signal)
        return { answered: true, status, retryAfter, body: excerptOf(body), durationMs: durationMs() }
      } catch (error) {
        return { ...unanswered(error), durationMs: durationMs() }
      }
    },
    get idle() {
      return lines.size
    },
    close: () => lines.close(),
  }
}

function urlOf(letter: Letter): URL {
  const url = URL.parse(letter.url)
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new ConnectError('CONNECT', 'The address is not a valid http:// or https:// URL')
}

/** What is none of the other side's doing (the caller stopped it, or we have a bug) is ours. */
function unanswered(error: unknown): Omit<Extract<Posted, { answered: false }>, 'durationMs'> {
  const { code, message, ours } =
    error instanceof OutboundError ? error : new ConnectError('CONNECT', textOf(error), { ours: true })
  return { answered: false, code, error: message, ours }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Text that every database can store: no NUL, and no half of a surrogate pair at the end. */
function excerptOf(body: Buffer): string {
  const text = body.toString('utf8').replaceAll('\0', '').slice(0, EXCERPT_CHARS)
  return text.isWellFormed() ? text : text.slice(0, -1)
}
