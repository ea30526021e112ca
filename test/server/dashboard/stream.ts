import assert from 'node:assert/strict'
import { eventually } from '../../support/eventually.ts'
import type { Person } from '../../support/person.ts'
import type { TestServer } from '../../support/server.ts'

interface Heard {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: data depends on the event
  readonly data: any
}

export interface Listener extends AsyncDisposable {
  readonly status: number
  readonly headers: Headers
  readonly heard: readonly Heard[]
  /** Keep-alive comments. */
  readonly beats: number
  readonly hasEnded: boolean
  /** Waits for an event of this kind. */
  until(event: string, data?: object): Promise<Heard>
}

/** Opens the event stream like an EventSource and records its events. */
export async function listen(server: TestServer, person: Person, lastId?: string, query = ''): Promise<Listener> {
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/app/api/events${query}`, {
    headers: { cookie: person.cookie ?? '', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
    signal: leaving.signal,
  })
  const state = { heard: [] as Heard[], beats: 0, hasEnded: false }
  const reading = read(response, state)
  return {
    status: response.status,
    headers: response.headers,
    get heard() {
      return state.heard
    },
    get beats() {
      return state.beats
    },
    get hasEnded() {
      return state.hasEnded
    },
    until: (event, data) =>
      eventually(async () => {
        const wanted = data === undefined ? undefined : JSON.stringify(data)
        const found = state.heard.find((one) => one.event === event && (!wanted || JSON.stringify(one.data) === wanted))
        assert.ok(found, `${event} ${wanted} among ${JSON.stringify(state.heard)}`)
        return found
      }),
    async [Symbol.asyncDispose]() {
      leaving.abort()
      await reading
    },
  }
}

async function read(response: Response, state: { heard: Heard[]; beats: number; hasEnded: boolean }): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) take(block, state)
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') assert.match(String(error), /terminated/)
  } finally {
    state.hasEnded = true
  }
}

function take(block: string, state: { heard: Heard[]; beats: number }): void {
  if (block.startsWith(':')) state.beats += 1
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
  const event = field('event')
  if (event !== undefined) state.heard.push({ id: field('id') ?? '', event, data: JSON.parse(field('data') ?? 'null') })
}
