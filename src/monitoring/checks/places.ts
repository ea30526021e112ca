import type { Database } from '../../storage/database.ts'
import { first, q, statement } from '../../storage/query.ts'

/**
 * The places for checks of one node, shared by organization: an organization gets a place only while it holds fewer than are
 * free. So it never holds more than half of them, one that holds none finds a free place, and shares even out as checks end: of
 * k organizations that want more, each holds a (k+1)th part. An organization that is the only one with monitors may use all.
 */
export class CheckPlaces {
  readonly #capacity: number
  #areShared = true
  readonly #held = new Map<string, number>()
  #used = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get free(): number {
    return this.#capacity - this.#used
  }

  /** Whether an organization gets a place, after `own` of `taken` places that are not counted yet were taken by itself. */
  isOpenTo(orgId: string, own = 0, taken = 0): boolean {
    const free = this.free - taken
    return free > 0 && (!this.#areShared || (this.#held.get(orgId) ?? 0) + own < free)
  }

  /** `areShared`: whether several organizations have monitors. */
  share(areShared: boolean): void {
    this.#areShared = areShared
  }

  take(orgId: string): void {
    this.#held.set(orgId, (this.#held.get(orgId) ?? 0) + 1)
    this.#used += 1
  }

  giveBack(orgId: string): void {
    const held = (this.#held.get(orgId) as number) - 1
    if (held === 0) this.#held.delete(orgId)
    else this.#held.set(orgId, held)
    this.#used -= 1
  }

  /** The organizations that get no further place now. */
  atLimit(): readonly string[] {
    return [...this.#held.keys()].filter((orgId) => !this.isOpenTo(orgId))
  }

  /** The organization that holds the most places. */
  largest(): { readonly orgId: string; readonly held: number } | undefined {
    let largest: { orgId: string; held: number } | undefined
    for (const [orgId, held] of this.#held) if (held > (largest?.held ?? 0)) largest = { orgId, held }
    return largest
  }
}

/**
 * Takes due checks, at most `limit`: one of each organization per round, while the organization gets a place. `takeNext` takes
 * one from a queue, in the first round (0) the first one.
 */
export function takeInTurns<Q extends { readonly orgId: string }, T>(
  queues: readonly Q[],
  limit: number,
  places: CheckPlaces,
  takeNext: (queue: Q, round: number) => T | undefined,
): readonly T[] {
  const taken: T[] = []
  let inTurn = queues
  for (let round = 0; inTurn.length > 0; round += 1) {
    inTurn = inTurn.filter((queue) => {
      if (taken.length >= limit || !places.isOpenTo(queue.orgId, round, taken.length)) return false
      const check = takeNext(queue, round)
      if (check !== undefined) taken.push(check)
      return check !== undefined
    })
  }
  return taken
}

/** Two searches of an index, however many monitors there are. */
const organizationsWithMonitors = statement((_: object) =>
  q.selectNoFrom((eb) => [
    eb
      .selectFrom('monitors')
      .select((m) => m.fn.min('org_id').as('org_id'))
      .as('first'),
    eb
      .selectFrom('monitors')
      .select((m) => m.fn.max('org_id').as('org_id'))
      .as('last'),
  ]),
)

/** Finds out whether several organizations have monitors, if that makes a difference now. */
export async function shareAmongOrganizations(places: CheckPlaces, database: Database): Promise<void> {
  places.share(true)
  if (places.atLimit().length === 0) return
  const found = await database.read(first(organizationsWithMonitors, {}))
  places.share(found?.first !== found?.last)
}
