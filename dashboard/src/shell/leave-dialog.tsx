import { t } from '../lib/i18n.ts'
import type { LeaveAnswer } from '../lib/unsaved-forms.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'

interface LeaveDialogProps {
  readonly isFinal: boolean
  readonly onAnswer: (answer: LeaveAnswer) => void
}

/** Asks before the user leaves a form with unsaved changes. */
export default function LeaveDialog({ isFinal, onAnswer }: LeaveDialogProps) {
  return (
    <Dialog title={t('Leave without saving?')} onClose={() => onAnswer('stay')}>
      <p>
        {isFinal
          ? t('You have unsaved changes. They are lost when you sign out.')
          : t(
              'You have unsaved changes. If you leave, they are kept in this tab and restored when you come back. Secrets are not kept.',
            )}
      </p>
      <div class="mt-4 flex flex-wrap justify-end gap-2">
        <Button look="danger" onClick={() => onAnswer('discard')}>
          {isFinal ? t('Discard and sign out') : t('Discard changes')}
        </Button>
        {!isFinal && <Button onClick={() => onAnswer('leave')}>{t('Leave, keep draft')}</Button>}
        <Button look="primary" onClick={() => onAnswer('stay')}>
          {t('Keep editing')}
        </Button>
      </div>
    </Dialog>
  )
}
