import { LabelledShape } from '../../ui/labelled-shape.tsx'
import type { Window } from './draft.ts'

const looks = {
  IN_PROGRESS: { look: 'MAINTENANCE', word: 'Under way' },
  SCHEDULED: { look: 'PENDING', word: 'Scheduled' },
  COMPLETED: { look: 'UP', word: 'Completed' },
} as const

export function WindowStatusLabel({ status }: { status: Window['status'] }) {
  return <LabelledShape {...looks[status]} />
}
