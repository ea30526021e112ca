import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, toClipboard } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { asCommands } from './as-curl.ts'
import { bodyOf, type Draft } from './draft.ts'

interface CopyAsCurlProps {
  readonly draft: Draft
  /** Those that are not at their defaults, by name. */
  readonly options: object
  readonly monitorId: string | undefined
}

/** Copies the requests that save the form. Shows them where the browser does not allow copying. */
export function CopyAsCurl({ draft, options, monitorId }: CopyAsCurlProps) {
  const [text, setText] = useState<string>()
  const copy = async () => {
    try {
      const command = asCommands(`${window.location.origin}/api/v1/monitors`, monitorId, bodyOf(draft), options)
      if (await toClipboard(command)) showToast(t('Copied. Set PHAROS_API_KEY to an API key with full access.'))
      else setText(command)
    } catch (problem) {
      showToast((problem as Error).message)
    }
  }
  return (
    <>
      <Button onClick={() => void copy()}>{t('Copy as curl')}</Button>
      {text !== undefined && (
        <Dialog title={t('Copy as curl')} onClose={() => setText(undefined)}>
          <p class="mb-3 text-muted">
            {t(
              'Your browser doesn’t allow copying here. Select the command and copy it. Set PHAROS_API_KEY to an API key with full access first.',
            )}
          </p>
          <CodeBlock text={text} label={t('curl command')} />
        </Dialog>
      )}
    </>
  )
}
