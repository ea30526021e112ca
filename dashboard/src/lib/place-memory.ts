/** Where the user was on each screen of this tab: Back returns the focus and the scroll position. */

interface Place {
  readonly scrollY: number
  /** The address of the focused link. */
  readonly href: string | null
}

const places = new Map<string, Place>()
let isTraversing = false

const here = () => window.location.pathname + window.location.search

/** Called before each navigation, while the screen that is left is still shown. */
export function rememberPlace(): void {
  const href = document.activeElement?.closest('a')?.getAttribute('href') ?? null
  places.set(here(), { scrollY: window.scrollY, href })
  isTraversing = false
}

window.addEventListener('popstate', () => {
  isTraversing = true
})

/** Longer than cached data takes to render; what is fetched again may change the list anyway. */
const MOST_WAIT_MS = 3000
const STEP_MS = 50

/**
 * Focuses and scrolls to where the user was, if the screen was reached with Back or Forward, as soon as it is there. Stops when the
 * user does something. False if there is nothing to return to.
 */
export function returnToPlace(): boolean {
  const place = isTraversing ? places.get(here()) : undefined
  if (place === undefined) return false
  const startedAt = performance.now()
  const key = here()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => {
    clearTimeout(timer)
    for (const event of interruptions) window.removeEventListener(event, stop)
  }
  const attempt = () => {
    if (here() !== key) return stop()
    const link =
      place.href === null ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(place.href)}"]`)
    const isThere = place.href === null || link !== null
    const isLongEnough = document.documentElement.scrollHeight - window.innerHeight >= place.scrollY
    if ((isThere && isLongEnough) || performance.now() - startedAt > MOST_WAIT_MS) {
      link?.focus({ preventScroll: true })
      window.scrollTo(0, place.scrollY)
      return stop()
    }
    timer = setTimeout(attempt, STEP_MS)
  }
  for (const event of interruptions) window.addEventListener(event, stop)
  attempt()
  return true
}

const interruptions = ['wheel', 'pointerdown', 'keydown', 'popstate'] as const
