import { type State, StateShape, states } from './state.tsx'

/** The shape of a state with a custom label. */
export function LabelledShape({ look, word }: { look: State; word: string }) {
  return (
    <span class={`inline-flex items-center gap-1.5 font-medium whitespace-nowrap ${states[look].text}`}>
      <StateShape state={look} />
      {word}
    </span>
  )
}
