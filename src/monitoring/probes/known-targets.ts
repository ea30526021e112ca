import type { Target } from './probe.ts'

/** A look for a thread to take: at a target that it knows by its number, or at one that it is shown. */
export type Job =
  | readonly [id: number, type: string, number: number]
  | readonly [id: number, type: string, number: number | null, target: Target]

const MOST_KNOWN = 20_000
/** A target with a long body is shown each time: twenty thousand of them would be too much to know. */
const LONGEST_KNOWN = 2_000

/**
 * The targets that a thread knows. They stay the same from check to check (see checks/settings.ts), and a number crosses over to
 * the thread for a fraction of what a target costs to write, to copy and to read.
 */
export class KnownTargets {
  readonly #numbers = new Map<Target, number>()

  /** A job as JSON; whoever writes it must send it, for the next one will rely on it. */
  jobText(id: number, type: string, target: Target): string {
    const known = this.#numbers.get(target)
    if (known !== undefined) return `[${id},"${type}",${known}]`
    const text = JSON.stringify(target)
    const number = text.length > LONGEST_KNOWN ? null : this.#remember(target)
    return `[${id},"${type}",${number},${text}]`
  }

  /** The longest known makes room. */
  #remember(target: Target): number {
    let number = this.#numbers.size
    if (number >= MOST_KNOWN) {
      const [oldest, its] = this.#numbers.entries().next().value as [Target, number]
      this.#numbers.delete(oldest)
      number = its
    }
    this.#numbers.set(target, number)
    return number
  }
}

/** The same from the thread's side: it looks at each job as it comes, for a number may stand for another target later. */
export class ShownTargets {
  readonly #targets: Target[] = []

  targetOf([, , number, shown]: Job): Target {
    if (shown === undefined) return this.#targets[number as number] as Target
    if (number !== null) this.#targets[number] = shown
    return shown
  }
}
