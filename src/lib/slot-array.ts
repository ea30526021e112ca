/**
 * Things under way, each at a numbered place that goes to another when it has ended.
 *
 * For what comes and goes all the time this is no Map: that one makes a new table again and again, and a table that has
 * become old keeps everything that stood in it from being collected while it is young, though nobody can reach it any more.
 */
export class SlotArray<T extends object> {
  readonly #things: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#things.length - this.#free.length
  }

  /** The place where it stands from now on. */
  add(thing: T): number {
    const place = this.#free.pop() ?? this.#things.length
    this.#things[place] = thing
    return place
  }

  /** What stood there; the place is free for another. */
  remove(place: number): T | undefined {
    const thing = this.#things[place]
    if (thing === undefined) return undefined
    this.#things[place] = undefined
    this.#free.push(place)
    return thing
  }

  /** The places that are taken, of things that are so. */
  indexesWhere(isSo: (thing: T) => boolean): number[] {
    const places: number[] = []
    this.#things.forEach((thing, place) => {
      if (thing !== undefined && isSo(thing)) places.push(place)
    })
    return places
  }
}
