import assert from 'node:assert/strict'
import type { Body, Model, NextRequest } from './model.ts'
import type { DescribedOperation } from './schema.ts'

/** Few, so that cases use the same ones repeatedly. */
const EACH = 4

interface Published {
  readonly id: string
  updates: number
}

/** The most updates of an incident. */
const MOST_UPDATES = 200

const STOCK = '{"title":"stock","message":"stock","statusPageIds":["@page:0@"]}'

/** The expected status pages and published incidents of a lane. */
export class PageModel implements Model {
  readonly #pages: string[] = []
  readonly #published: Published[] = []
  readonly live = { '/status-pages': 0, '/status-incidents': 0 }

  /** Ids that bodies may refer to. */
  get ids(): readonly string[] {
    return this.#pages
  }

  wanted(): NextRequest | undefined {
    if (this.#pages.length < EACH) {
      return { operation: 'createStatusPage', path: '/status-pages', body: '{"name":"stock"}' }
    }
    if (this.#published.length >= EACH) return undefined
    return { operation: 'createPublishedIncident', path: '/status-incidents', body: STOCK }
  }

  target(operation: DescribedOperation, nth: number): string | undefined {
    if (operation.path.includes('{statusPageId}')) return this.#pages[nth % this.#pages.length]
    if (operation.path.includes('{statusIncidentId}')) return this.#published[nth % this.#published.length]?.id
    return undefined
  }

  refusal(operation: string, id: string | undefined): number | undefined {
    const published = this.#published.find((known) => known.id === id)
    return operation === 'postPublishedIncidentUpdate' && published?.updates === MOST_UPDATES ? 409 : undefined
  }

  follow(operation: string, id: string | undefined, body: Body): void {
    if (operation === 'createStatusPage') this.#learnPage(body.id)
    if (operation === 'createPublishedIncident') this.#learnPublished(body.id)
    const published = this.#published.find((known) => known.id === id)
    if (id === undefined || (published === undefined && !this.#pages.includes(id))) return
    if (operation === 'deleteStatusPage' || operation === 'deletePublishedIncident') {
      assert.deepEqual(body, { data: { id } })
      this.#forget(id)
      return
    }
    assert.equal(body.id, id)
    if (published === undefined) return
    if (operation === 'postPublishedIncidentUpdate') published.updates += 1
    assert.equal(body.updates.length, published.updates)
  }

  #learnPage(id: string): void {
    this.live['/status-pages'] += 1
    this.#pages.push(id)
    if (this.#pages.length > 3 * EACH) this.#pages.splice(0, 1)
  }

  #learnPublished(id: string): void {
    this.live['/status-incidents'] += 1
    this.#published.push({ id, updates: 1 })
    if (this.#published.length > 3 * EACH) this.#published.splice(0, 1)
  }

  #forget(id: string): void {
    const place = this.#pages.indexOf(id)
    if (place !== -1) {
      this.#pages.splice(place, 1)
      this.live['/status-pages'] -= 1
      return
    }
    const index = this.#published.findIndex((known) => known.id === id)
    this.#published.splice(index, 1)
    this.live['/status-incidents'] -= 1
  }
}
