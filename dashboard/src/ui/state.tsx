import { stateLabels } from '../lib/labels.ts'

/** Shape, colour and label of each state. The shape helps without colour vision, the label helps screen readers. */

export type State = 'UP' | 'DEGRADED' | 'DOWN' | 'PAUSED' | 'PENDING' | 'MAINTENANCE' | 'INCONCLUSIVE'

interface Look {
  readonly text: string
  readonly fill: string
  readonly shape: preact.JSX.Element
}

export const states: Readonly<Record<State, Look>> = {
  UP: { text: 'text-up-text', fill: 'text-up', shape: <circle cx="6" cy="6" r="5" /> },
  DEGRADED: {
    text: 'text-degraded-text',
    fill: 'text-degraded',
    shape: <path d="M6 1 11.5 11H.5z" />,
  },
  DOWN: {
    text: 'text-down-text',
    fill: 'text-down',
    shape: <path d="m2.5 1 3.5 3.5L9.5 1 11 2.5 7.5 6 11 9.5 9.5 11 6 7.5 2.5 11 1 9.5 4.5 6 1 2.500z" />,
  },
  PAUSED: {
    text: 'text-paused-text',
    fill: 'text-paused',
    shape: <path d="M2.5 1.500h2.500v9H2.500zM7 1.500h2.500v9H7z" />,
  },
  PENDING: {
    text: 'text-none-text',
    fill: 'text-paused',
    shape: <circle cx="6" cy="6" r="4.2" fill="none" stroke="currentColor" stroke-width="1.6" />,
  },
  MAINTENANCE: {
    text: 'text-maintenance-text',
    fill: 'text-maintenance',
    // The wrench of the status pages.
    shape: (
      <path
        transform="scale(.75)"
        d="M14.6 4.2 12 6.8 9.6 6.4 9.2 4l2.6-2.6a4.4 4.4 0 0 0-5.7 5.7L1.4 11.8a2 2 0 0 0 2.8 2.8l4.7-4.7a4.4 4.4 0 0 0 5.7-5.7z"
      />
    ),
  },
  /** Of checks only: a monitor keeps its state. */
  INCONCLUSIVE: {
    text: 'text-none-text',
    fill: 'text-paused',
    shape: <path d="M1 4.750h10v2.500H1z" />,
  },
}

export function StateShape({ state, size = 12 }: { state: State; size?: number }) {
  const { fill, shape } = states[state]
  return (
    <svg
      class={`inline-block shrink-0 ${fill}`}
      width={size}
      height={size}
      viewBox="0 0 12 12"
      fill="currentColor"
      aria-hidden="true"
    >
      {shape}
    </svg>
  )
}

/** Shape and label. */
export function StateLabel({ state, large = false }: { state: State; large?: boolean }) {
  return <LabelledShape look={state} word={stateLabels[state]} large={large} />
}

/** The shape of a state with a custom label. */
export function LabelledShape({ look, word, large = false }: { look: State; word: string; large?: boolean }) {
  return (
    <span
      class={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${states[look].text} ${large ? 'text-lg' : ''}`}
    >
      <StateShape state={look} size={large ? 16 : 12} />
      {word}
    </span>
  )
}
