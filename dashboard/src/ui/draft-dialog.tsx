import { Dialog } from './dialog.tsx'
import { Form, type FormProps } from './form.tsx'
import { RestoredNotice } from './restored-notice.tsx'
import type { FormDraft } from './use-form-draft.ts'

interface DraftFormProps extends Omit<FormProps, 'onCancel'> {
  readonly form: Pick<FormDraft<never>, 'isRestored' | 'isPartial' | 'discard'>
  readonly onClose: () => void
}

/** A form in a dialog. Closing keeps its changes for the next time, Cancel discards them. */
export function DraftForm({ form, onClose, children, ...rest }: DraftFormProps) {
  const cancel = () => {
    form.discard()
    onClose()
  }
  return (
    <Form {...rest} onCancel={cancel}>
      <RestoredNotice form={form} />
      {children}
    </Form>
  )
}

/** A dialog that has such a form from the beginning. */
export function DraftDialog({ title, ...rest }: DraftFormProps & { readonly title: string }) {
  return (
    <Dialog title={title} onClose={rest.onClose}>
      <DraftForm {...rest} />
    </Dialog>
  )
}
