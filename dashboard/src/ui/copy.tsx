import { Check, Copy } from 'lucide-preact'
import { useState } from 'preact/hooks'
import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { showToast } from './toast.tsx'

export function CopyButton({ text, label = t('Copy') }: { text: string; label?: string }) {
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    if (!(await toClipboard(text)))
      return showToast(t('Your browser doesn’t allow copying here. Select the text and copy it.'))
    setCopied(true)
    showToast(t('Copied'))
    setTimeout(() => setCopied(false), 2000)
  }
  return <Button look="quiet" onClick={copy} aria-label={label} title={label} icon={isCopied ? <Check /> : <Copy />} />
}

/** Preformatted text with a copy button. */
export function CodeBlock({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div class="code-block relative">
      <section aria-label={label}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard */}
        <pre class={`code max-h-96 pe-12 ${wrap ? 'break-all whitespace-pre-wrap' : ''}`} tabIndex={0}>
          {text}
        </pre>
      </section>
      <div class="absolute top-px right-px rounded-md bg-ground">
        <CopyButton text={text} label={t('Copy: {label}', { label })} />
      </div>
    </div>
  )
}

/** The clipboard API works over https and on localhost, if the user allows it; elsewhere execCommand may still work. */
export async function toClipboard(text: string): Promise<boolean> {
  const written = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  )
  return written === true || copySelected(text)
}

function copySelected(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.setAttribute('aria-hidden', 'true')
  // Everything outside of a modal dialog is inert, so nothing there can be selected.
  const dialogs = document.querySelectorAll('dialog[open]')
  ;(dialogs[dialogs.length - 1] ?? document.body).append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return isDone
}
