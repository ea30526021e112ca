import type { ForeignLane, Keys } from './attacked-server.ts'
import { type DocumentCase, documentOfHistories } from './documents.ts'

/** Sends documents, and applies some of the plans. */
export class DocumentSender {
  readonly #lane: ForeignLane
  /** Organizations that have monitors with a history. */
  readonly #prepared = new Set<Keys>()

  constructor(lane: ForeignLane) {
    this.#lane = lane
  }

  async send({ path, body, isGzip, isReadOnly, applies }: DocumentCase): Promise<void> {
    const keys = this.#lane.next()
    if (path === '/configuration/history') await this.#prepare(keys)
    const { status, body: text } = await this.#lane.send({
      method: 'POST',
      path,
      key: isReadOnly ? keys.readOnly : keys.full,
      headers: isGzip ? { 'content-encoding': 'gzip' } : {},
      body: Buffer.from(body, 'latin1'),
    })
    if (status === 200 && path === '/configuration/plan' && applies) {
      await this.#lane.post(keys.full, '/configuration/apply', { planId: JSON.parse(text).planId })
    }
  }

  async #prepare(keys: Keys): Promise<void> {
    if (this.#prepared.has(keys)) return
    this.#prepared.add(keys)
    await this.#lane.apply(keys.full, documentOfHistories)
  }
}
