import { t, tx } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { InfoNotice } from './notice.tsx'
import type { FormDraft } from './use-form-draft.ts'

interface RestoredNoticeProps {
  /** Without `discard` if the form has a button for that. */
  readonly form: Pick<FormDraft<never>, 'isRestored' | 'isPartial'> & Partial<Pick<FormDraft<never>, 'discard'>>
}

/** Says that a form has unsaved changes of an earlier visit, and offers to discard them. */
export function RestoredNotice({ form }: RestoredNoticeProps) {
  if (!form.isRestored) return null
  return (
    <InfoNotice>
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2" role="status">
        <p class="min-w-0 grow basis-60">
          {tx('Your unsaved changes were restored.{value}', {
            value:
              form.isPartial && t(' Passwords, tokens, request headers and bodies are not kept, so enter them again.'),
          })}
        </p>
        {form.discard && <Button onClick={form.discard}>{t('Discard')}</Button>}
      </div>
    </InfoNotice>
  )
}
