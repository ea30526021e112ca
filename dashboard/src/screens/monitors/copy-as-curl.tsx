import { useState } from 'preact/hooks'
import { t } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock, toClipboard } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { asCurl } from './as-curl.ts'
import { bodyOf, type Draft } from './draft.ts'

/** Copies the request that saves the form. Shows it where the browser does not allow copying. */
export function CopyAsCurl({ draft, monitorId }: { draft: Draft; monitorId: string | undefined }) {
  const [text, setText] = useState<string>()
  const copy = async () => {
    try {
      const monitors = `${window.location.origin}/api/v1/monitors`
      const command =
        monitorId === undefined
          ? asCurl('POST', monitors, bodyOf(draft))
          : asCurl('PATCH', `${monitors}/${monitorId}`, bodyOf(draft))
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
