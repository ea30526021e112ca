import { Mark } from '../../ui/mark.tsx'
import type { Window } from './draft.ts'

const looks = {
  IN_PROGRESS: { look: 'MAINTENANCE', word: 'Under way' },
  SCHEDULED: { look: 'PENDING', word: 'Scheduled' },
  COMPLETED: { look: 'UP', word: 'Completed' },
} as const

export function WindowMark({ status }: { status: Window['status'] }) {
  return <Mark {...looks[status]} />
}
