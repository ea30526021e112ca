export interface Page<Item> {
  readonly data: readonly Item[]
  readonly pagination: { readonly limit: number; readonly offset: number; readonly total: number }
}

interface Position {
  readonly limit?: number | undefined
  readonly offset?: number | undefined
}

/** The largest that the API permits. */
const PAGE_SIZE = 100

/**
 * A list that is read page by page. Nothing is requested before it is iterated or `page()` is called.
 *
 *     for await (const monitor of pharos.monitors.list()) …
 *     const { data, pagination } = await pharos.monitors.list({ limit: 10 }).page()
 */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: (position: Position) => Promise<Page<Item>>
  readonly #query: Position

  constructor(read: (position: Position) => Promise<Page<Item>>, query: Position) {
    this.#read = read
    this.#query = query
  }

  /** One page, at the `offset` of the query. */
  page(): Promise<Page<Item>> {
    return this.#read({})
  }

  /**
   * All pages from the `offset` of the query on. `limit` is the size of a page, by default 100. The API refuses an `offset` over
   * 100,000: narrow longer lists with filters.
   */
  async *pages(): AsyncGenerator<Page<Item>, void, undefined> {
    const limit = this.#query.limit ?? PAGE_SIZE
    for (let offset = this.#query.offset ?? 0; ; offset += limit) {
      const page = await this.#read({ limit, offset })
      yield page
      if (offset + limit >= page.pagination.total || page.data.length === 0) return
    }
  }

  /** All items. If an item was added in front while the list was read, the one that moved to the next page comes once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let before = new Set<unknown>()
    for await (const { data } of this.pages()) {
      const ids = new Set<unknown>()
      for (const item of data) {
        const { id } = item as { id?: unknown }
        if (id !== undefined && before.has(id)) continue
        ids.add(id)
        yield item
      }
      before = ids
    }
  }

  /** All items in an array, at most `max`. */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const items: Item[] = []
    if (max <= 0) return items
    for await (const item of this) {
      items.push(item)
      if (items.length >= max) break
    }
    return items
  }
}
