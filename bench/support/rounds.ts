import { median } from './figures.ts'
import { progress } from './table.ts'

type Sides = Readonly<Record<string, () => Promise<unknown>>>
export type Round<S extends Sides> = { readonly [K in keyof S]: Awaited<ReturnType<S[K]>> }

/** Measures every side once in each round, in the reverse order from round to round. */
export async function inRounds<S extends Sides>(count: number, sides: S): Promise<Round<S>[]> {
  const rounds: Round<S>[] = []
  for (let i = 1; i <= count; i += 1) {
    const round: Record<string, unknown> = {}
    for (const [side, measure] of i % 2 === 1 ? Object.entries(sides) : Object.entries(sides).toReversed()) {
      progress(`${side}: round ${i} of ${count}`)
      round[side] = await measure()
    }
    rounds.push(round as Round<S>)
  }
  progress('')
  return rounds
}

/** The median of a figure over all rounds. */
export function over<R>(rounds: readonly R[], figure: (round: R) => number): number {
  return median(rounds.map(figure))
}
