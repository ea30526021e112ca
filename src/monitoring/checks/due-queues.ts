import { type Due, DueHeap } from './due-heap.ts'
import { type CheckPlaces, takeInTurns } from './places.ts'

interface DueOfOrganization extends Due {
  readonly orgId: string
}

/** The items of one organization by due time; due when its first item is. */
interface Queue<T extends DueOfOrganization> extends DueOfOrganization {
  readonly items: DueHeap<T>
}

/** Items by organization and due time. A take costs nothing for organizations without due items. */
export class DueQueues<T extends DueOfOrganization> {
  readonly #queues = new Map<string, Queue<T>>()
  /** The organizations, by the due time of their first item. */
  readonly #order = new DueHeap<Queue<T>>()

  /** Adds an item, or moves it after its due time changed. One that is never due is removed. */
  put(item: T): void {
    let queue = this.#queues.get(item.orgId)
    if (queue === undefined) {
      queue = { orgId: item.orgId, items: new DueHeap(), dueAt: null, position: -1 }
      this.#queues.set(item.orgId, queue)
    }
    queue.items.put(item)
    this.#update(queue)
  }

  remove(item: T): void {
    const queue = this.#queues.get(item.orgId)
    if (queue === undefined) return
    queue.items.remove(item)
    this.#update(queue)
  }

  /** Takes due items out, in turns of the organizations that get a place. */
  takeDue(now: number, limit: number, places: CheckPlaces): readonly T[] {
    const open: Queue<T>[] = []
    const atLimit: Queue<T>[] = []
    for (let queue = this.#order.peek(); queue !== undefined && open.length < limit; queue = this.#order.peek()) {
      if ((queue.dueAt as number) > now) break
      this.#order.remove(queue)
      if (places.isOpenTo(queue.orgId)) open.push(queue)
      else atLimit.push(queue)
    }
    const taken = takeInTurns(open, limit, places, ({ items }) => {
      const item = items.peek()
      if (item === undefined || (item.dueAt as number) > now) return undefined
      items.remove(item)
      return item
    })
    for (const queue of [...open, ...atLimit]) this.#update(queue)
    return taken
  }

  /** How many items were due at a time or before. */
  countDue(at: number): number {
    let count = 0
    for (const { items } of this.#queues.values()) count += items.countDue(at)
    return count
  }

  #update(queue: Queue<T>): void {
    queue.dueAt = queue.items.peek()?.dueAt ?? null
    this.#order.put(queue)
    if (queue.dueAt === null) this.#queues.delete(queue.orgId)
  }
}
