import { t, tx } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'

/** Shown once, after creation. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Recovery codes for Pharos (${window.location.host})\n\n${text}\n`)}`
  return (
    <div class="space-y-4">
      <p>
        {tx('Store these codes somewhere safe. Each one lets you sign in once without your app. {name}', {
          name: <strong>{t('They won’t be shown again.')}</strong>,
        })}
      </p>
      <CodeBlock text={text} label={t('Recovery codes')} />
      <div class="flex flex-wrap justify-end gap-2">
        <a class="button" href={file} download="pharos-recovery-codes.txt">
          {t('Download')}
        </a>
        <Button look="primary" onClick={onClose}>
          {t('I’ve saved them')}
        </Button>
      </div>
    </div>
  )
}
