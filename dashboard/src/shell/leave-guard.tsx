import { lazy, Suspense } from 'preact/compat'
import { useEffect, useState } from 'preact/hooks'
import { guardTraversal, type LeaveQuestion, onLeaveQuestion } from '../lib/unsaved-forms.ts'

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/** Shows the question that leaving an unsaved form asks. */
export function LeaveGuard() {
  const [question, setQuestion] = useState<LeaveQuestion>()
  useEffect(() => onLeaveQuestion(setQuestion), [])
  useEffect(guardTraversal, [])
  if (question === undefined) return null
  return (
    <Suspense fallback={null}>
      <LeaveDialog
        isFinal={question.isFinal}
        onAnswer={(answer) => {
          setQuestion(undefined)
          question.answer(answer)
        }}
      />
    </Suspense>
  )
}
