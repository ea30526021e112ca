import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpResult, OutgoingRequest, SendHttp } from '../../../src/outbound/outgoing-request.ts'

export const answered = (status: number): HttpResult => ({
  answered: true,
  status,
  retryAfter: null,
  body: '',
  durationMs: 1,
})

export const unreachable: HttpResult = {
  answered: false,
  code: 'CONNECT',
  error: 'The connection was refused',
  isLocalFault: false,
  durationMs: 1,
}

export const localFault: HttpResult = {
  answered: false,
  code: 'CONNECT',
  error: 'No sockets are left',
  isLocalFault: true,
  durationMs: 1,
}

export interface HeldRequest extends OutgoingRequest {
  /** The `n` of the event's data. */
  readonly n: number
  finish(result?: HttpResult): void
}

/** Sends nothing: every request stays open until the test finishes it. */
export class HeldRequests {
  readonly all: HeldRequest[] = []
  readonly open = new Set<HeldRequest>()
  /** The most requests to one URL that were open at once. */
  mostOpen = 0
  #isHolding = true
  #notify: (() => void) | undefined

  readonly send: SendHttp = (request, signal) =>
    new Promise((resolve) => {
      const held: HeldRequest = {
        ...request,
        n: (JSON.parse(request.body) as { data: { n: number } }).data.n,
        finish: (result = answered(200)) => {
          if (this.open.delete(held)) resolve(result)
        },
      }
      signal?.addEventListener('abort', () => held.finish(localFault))
      this.all.push(held)
      this.open.add(held)
      const open = [...this.open].filter(({ url }) => url === request.url).length
      this.mostOpen = Math.max(this.mostOpen, open)
      if (!this.#isHolding) setImmediate(() => held.finish())
      this.#notify?.()
    })

  /** Resolves when so many requests were made in total. */
  async made(count: number): Promise<void> {
    while (this.all.length < count) {
      await new Promise<void>((resolve) => {
        this.#notify = resolve
      })
    }
    // Lets a request that should not have been made appear.
    await nextTurn()
  }

  /** From now on every request succeeds in the next turn of the event loop. */
  holdNoMore(): void {
    this.#isHolding = false
    this.finishAll()
  }

  finishAll(result?: HttpResult): void {
    for (const request of [...this.open]) request.finish(result)
  }
}
