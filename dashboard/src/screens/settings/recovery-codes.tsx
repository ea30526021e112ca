import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'

/** Shown once, after creation. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Recovery codes for Pharos (${window.location.host})\n\n${text}\n`)}`
  return (
    <div class="space-y-4">
      <p>
        Store these codes somewhere safe. Each one lets you sign in once without your app.{' '}
        <strong>They won’t be shown again.</strong>
      </p>
      <CodeBlock text={text} label="Recovery codes" />
      <div class="flex flex-wrap justify-end gap-2">
        <a class="button" href={file} download="pharos-recovery-codes.txt">
          Download
        </a>
        <Button look="primary" onClick={onClose}>
          I’ve saved them
        </Button>
      </div>
    </div>
  )
}
