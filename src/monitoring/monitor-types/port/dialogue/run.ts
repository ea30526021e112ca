import type { Dialogue, DialogueStep } from '../../../../contract/check-options.ts'
import { DeadlineError } from '../../../../outbound/errors.ts'
import { reason } from '../../../../reasons/reason.ts'
import { BudgetExceeded } from '../../assertions/budget.ts'
import type { Attempt, Failure } from '../../attempt.ts'
import type { NetworkTools } from '../../definition.ts'
import { compileExpectation, type Expectation, patternIn, shownReply } from './expectation.ts'
import { connectDatagrams, connectStream, type Endpoint, type Peer } from './peer.ts'
import { stepsOf } from './presets.ts'

/** What is read of all replies together. */
const MAX_BYTES = 64 * 1024
/** A reply that grew by less than a quarter is searched again after this time, so that single bytes do not each cost a search. */
const SEARCH_AGAIN_MS = 100

/** Runs the steps of a dialogue. Throws what a connection throws, and the signal's reason while it connects. */
export async function runDialogue(
  dialogue: Dialogue,
  endpoint: Endpoint,
  attempt: Attempt,
  tools: NetworkTools,
): Promise<Failure | null> {
  const steps = stepsOf(dialogue)
  if (steps === undefined) {
    const { preset, transport } = dialogue
    return { code: 'CONNECT', kind: 'content', error: reason('no_preset', { preset: String(preset), transport }) }
  }
  const replies = new Replies(attempt.signal)
  const open = dialogue.transport === 'UDP' ? connectDatagrams : connectStream
  using peer = await open(endpoint, attempt, tools, replies)
  if (dialogue.transport === 'TLS') await peer.startTls()
  for (const [i, step] of steps.entries()) {
    const failure = await take(step, peer, replies, attempt)
    if (failure !== null) return { ...failure, error: reason('step', { number: i + 1, cause: failure.error }) }
  }
  return null
}

function bytesOf({ send = '', sendHex }: DialogueStep): Buffer {
  return sendHex === undefined ? Buffer.from(send) : Buffer.from(sendHex, 'hex')
}

async function take(step: DialogueStep, peer: Peer, replies: Replies, attempt: Attempt): Promise<Failure | null> {
  const { send, sendHex, expect, startTls } = step
  if (startTls === true) {
    await peer.startTls()
    // What came unencrypted must not count as a reply to what is sent encrypted.
    replies.forget()
  }
  if (send !== undefined || sendHex !== undefined) {
    replies.forget()
    peer.send(bytesOf(step))
  }
  if (expect === undefined) return null
  attempt.stage = 'response'
  const outcome = await replies.until(compileExpectation(expect))
  if (outcome === 'found') return null
  return failureFor(outcome, expect, replies.current)
}

type Outcome = 'found' | { readonly because: 'closed' | 'too long' | 'too costly' } | { readonly error: unknown }

function failureFor(outcome: Exclude<Outcome, 'found'>, expect: string, reply: Buffer): Failure {
  const expected = patternIn(expect) === undefined ? shownReply(Buffer.from(expect)) : expect
  const got = reply.length === 0 ? reason('reply_none') : reason('reply', { reply: shownReply(reply) })
  if ('because' in outcome) {
    const isCut = outcome.because === 'closed' && reply.length === 0
    const reasons = {
      closed: reason('reply_closed'),
      'too long': reason('reply_too_long', { kib: MAX_BYTES / 1024 }),
      'too costly': reason('reply_pattern_slow'),
    }
    const error = reason('reply_unexpected', { expected, got, cause: reasons[outcome.because] })
    return isCut ? { code: 'CONNECT', kind: 'connection', error } : { code: 'KEYWORD', kind: 'content', error }
  }
  const { error } = outcome
  if (!(error instanceof DeadlineError) || error.isLocalFault) throw error
  const late = reason('reply_late', { expected, got, ms: error.timeoutMs })
  if (reply.length === 0) return { code: 'TIMEOUT', kind: 'connection', error: late }
  return { code: 'KEYWORD', kind: 'content', error: late }
}

/** What the peer has sent since the last send. */
class Replies {
  readonly #signal: AbortSignal
  #reply: Buffer = Buffer.alloc(0)
  #totalBytes = 0
  #end: { readonly error?: Error } | undefined
  #changed: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#changed?.(), { once: true })
  }

  get current(): Buffer {
    return this.#reply
  }

  received(bytes: Buffer): void {
    if (this.#totalBytes > MAX_BYTES) return
    this.#totalBytes += bytes.length
    this.#reply = Buffer.concat([this.#reply, bytes])
    this.#changed?.()
  }

  ended(error?: Error): void {
    this.#end ??= error === undefined ? {} : { error }
    this.#changed?.()
  }

  forget(): void {
    this.#reply = Buffer.alloc(0)
  }

  async until(isExpected: Expectation): Promise<Outcome> {
    let searchedBytes = 0
    let isQuiet = false
    for (;;) {
      const [signal, end, isTooLong] = [this.#signal, this.#end, this.#totalBytes > MAX_BYTES]
      const isLast = isQuiet || signal.aborted || end !== undefined || isTooLong
      const bytes = this.#reply.length
      if (bytes > searchedBytes && (isLast || bytes >= searchedBytes * 1.25)) {
        searchedBytes = bytes
        const found = search(isExpected, this.#reply)
        if (found !== false) return found
      }
      if (isTooLong) return { because: 'too long' }
      if (end !== undefined) return end.error === undefined ? { because: 'closed' } : { error: end.error }
      if (signal.aborted) return { error: signal.reason }
      isQuiet = await this.#change(bytes > searchedBytes ? SEARCH_AGAIN_MS : undefined)
    }
  }

  /** Resolves when something has arrived or ended; true if the time was over before. */
  #change(withinMs: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = withinMs === undefined ? undefined : setTimeout(() => done(true), withinMs)
      const done = (isLate: boolean): void => {
        clearTimeout(timer)
        this.#changed = undefined
        resolve(isLate)
      }
      this.#changed = () => done(false)
    })
  }
}

function search(isExpected: Expectation, reply: Buffer): Outcome | false {
  try {
    return isExpected(reply) ? 'found' : false
  } catch (error) {
    if (error instanceof BudgetExceeded) return { because: 'too costly' }
    throw error
  }
}
