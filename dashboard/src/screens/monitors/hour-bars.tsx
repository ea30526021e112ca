import { t } from '../../lib/i18n.ts'

const WIDTH = 5
const STEP = 7
const HEIGHT = 24

/** Look of each letter of `hours`, and its label for screen readers. */
const looks: Readonly<Record<string, { word: string; class: string; draw: (x: number) => string }>> = {
  U: { word: t('up'), class: 'fill-up', draw: (x) => `M${x} 0h${WIDTH}v${HEIGHT}h-${WIDTH}z` },
  G: {
    word: t('degraded'),
    class: 'fill-degraded',
    draw: (x) => `M${x} ${HEIGHT * 0.4}h${WIDTH}V${HEIGHT}h-${WIDTH}z`,
  },
  D: {
    word: t('down'),
    class: 'fill-down',
    draw: (x) => `M${x} 0h${WIDTH}v9l-2.5 3 2.5 3v9h-${WIDTH}v-9l2.5-3-2.5-3z`,
  },
  // Hatched: three slabs.
  M: {
    word: t('in maintenance'),
    class: 'fill-maintenance',
    draw: (x) => [0, 9, 18].map((y) => `M${x} ${y}h${WIDTH}v6h-${WIDTH}z`).join(''),
  },
  // Hollow: two thin lines.
  P: {
    word: t('paused'),
    class: 'fill-paused',
    draw: (x) => `M${x} 4h1.5v20h-1.500zM${x + 3.5} 4h1.500v20h-1.500z`,
  },
  '-': {
    word: t('without data'),
    class: 'fill-none-text opacity-50',
    draw: (x) => `M${x} ${HEIGHT - 5}h${WIDTH}v5h-${WIDTH}z`,
  },
}

/** One bar per hour of the last 24, oldest first. Equal hours share one path. */
export function HourBars({ hours }: { hours: string }) {
  const letters = [...hours]
  const width = letters.length * STEP - (STEP - WIDTH)
  return (
    <svg
      class="block h-6 w-full max-w-42"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={inWords(letters)}
    >
      {Object.entries(looks).map(([letter, look]) => {
        const d = letters.map((one, i) => (one === letter ? look.draw(i * STEP) : '')).join('')
        return d === '' ? null : <path key={letter} class={look.class} d={d} />
      })}
    </svg>
  )
}

function inWords(letters: readonly string[]): string {
  const states = Object.entries(looks).flatMap(([letter, { word }]) => {
    const count = letters.filter((one) => one === letter).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return t('Last {length} hours: {states}', { length: letters.length, states: states.join(', ') })
}
