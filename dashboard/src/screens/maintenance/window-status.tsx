import { windowStatusLabels } from '../../lib/labels.ts'
import { LabelledShape } from '../../ui/state.tsx'
import type { Window } from './draft.ts'

const looks = {
  IN_PROGRESS: { look: 'MAINTENANCE', word: windowStatusLabels.IN_PROGRESS },
  SCHEDULED: { look: 'PENDING', word: windowStatusLabels.SCHEDULED },
  COMPLETED: { look: 'UP', word: windowStatusLabels.COMPLETED },
} as const

export function WindowStatusLabel({ status }: { status: Window['status'] }) {
  return <LabelledShape {...looks[status]} />
}
