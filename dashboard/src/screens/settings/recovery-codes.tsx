import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/copy.tsx'

/** Shown once, after creation. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const text = codes.join('\n')
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`Recovery codes for Pharos (${window.location.host})\n\n${text}\n`)}`
  return (
    <div class="space-y-4">
      <p>
        Put these codes where you find them without your phone. Each lets you in once when you do not have your app.{' '}
        <strong>They are shown this once.</strong>
      </p>
      <CodeBlock text={text} label="Recovery codes" />
      <div class="flex flex-wrap justify-end gap-2">
        <a class="button" href={file} download="pharos-recovery-codes.txt">
          Download
        </a>
        <Button look="primary" onClick={onClose}>
          I have put them away
        </Button>
      </div>
    </div>
  )
}
