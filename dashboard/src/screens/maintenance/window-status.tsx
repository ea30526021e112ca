import { windowStatusLabels } from '../../lib/labels.ts'
import { LabelledShape } from '../../ui/state.tsx'
import type { Window } from './draft.ts'

const looks = { IN_PROGRESS: 'MAINTENANCE', SCHEDULED: 'PENDING', COMPLETED: 'UP' } as const

export function WindowStatusLabel({ status }: { status: Window['status'] }) {
  return <LabelledShape look={looks[status]} word={windowStatusLabels[status]} />
}
