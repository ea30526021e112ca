import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t, tx } from '../lib/i18n.ts'
import { useRunningAction } from '../lib/running-action.ts'
import { Button, type ButtonLook } from './button.tsx'
import { ErrorNotice } from './notice.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Near the top of the window, not in its centre. */
  readonly top?: boolean
  readonly children: ComponentChildren
  /** Question before Escape and the close button close what cannot be shown again: "Have you saved the key?" */
  readonly shownOnce?: string | undefined
  /** For a question above another dialog. */
  readonly small?: boolean
}

/** A native modal dialog: traps the focus, closes with Escape, restores the focus. Open while it is rendered. */
export function Dialog({ title, onClose, top = false, children, shownOnce, small = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isConfirming, setConfirming] = useState(false)
  const id = useId()
  // A layout effect: no key may reach the screen behind once the dialog is rendered.
  useLayoutEffect(() => {
    dialog.current?.showModal()
    // The browser focuses the first button, which would be "Close". A button of the content could delete something.
    if (document.activeElement?.matches('[data-close]') !== true) return
    const field = dialog.current?.querySelector<HTMLElement>('input:enabled, select:enabled, textarea:enabled')
    const first = field ?? dialog.current?.querySelector<HTMLElement>('h2')
    first?.focus()
  }, [])
  const closed = () => {
    if (shownOnce === undefined) return onClose()
    // Browsers close a dialog at the second Escape in a row, even if the first one was prevented.
    dialog.current?.showModal()
    setConfirming(true)
  }
  const cancel = (event: Event) => {
    if (shownOnce === undefined || event.target !== dialog.current) return
    event.preventDefault()
    setConfirming(true)
  }
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={cancel}
      onClose={(event) => event.target === dialog.current && closed()}
      class={`${top ? 'mt-[10dvh]' : ''} ${small ? 'max-w-md!' : ''}`}
    >
      <div class="flex items-center gap-2 border-b border-line px-5 py-3">
        <h2 id={id} tabIndex={-1} class="grow text-base font-semibold outline-none">
          {title}
        </h2>
        <Button
          look="quiet"
          data-close
          aria-label={t('Close')}
          onClick={() => (shownOnce === undefined ? dialog.current?.close() : setConfirming(true))}
          icon="✕"
        />
      </div>
      <div class="p-5">{children}</div>
      {isConfirming && shownOnce !== undefined && (
        <ConfirmSaved question={shownOnce} onBack={() => setConfirming(false)} onClose={onClose} />
      )}
    </dialog>
  )
}

function ConfirmSaved(props: { question: string; onBack: () => void; onClose: () => void }) {
  const { question, onBack, onClose } = props
  return (
    <Dialog title={question} onClose={onBack} small>
      <p>{t('It won’t be shown again after you close this.')}</p>
      <div class="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{t('Yes, close')}</Button>
        <Button look="primary" autoFocus onClick={onBack}>
          {t('Go back')}
        </Button>
      </div>
    </Dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  /** What else is deleted. */
  readonly children: ComponentChildren
  readonly action: string
  /** Text that the user must type to confirm. */
  readonly typed?: string
  /** While something that the user must see is loading. */
  readonly disabled?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** Asks for confirmation before deleting something, and shows errors. */
export function Confirm({ title, children, action, typed, disabled = false, onConfirm, onClose }: ConfirmProps) {
  const doing = useRunningAction()
  const [text, setText] = useState('')
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void doing.run('confirm', () => onConfirm().then(onClose))
        }}
        class="space-y-4"
      >
        <div>{children}</div>
        {typed !== undefined && (
          <label class="block">
            <span class="mb-1 block">{tx('Type {name} to confirm', { name: <strong>{typed}</strong> })}</span>
            <input
              class="input"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
              autocomplete="off"
            />
          </label>
        )}
        <ErrorNotice problem={doing.problem} />
        <div class="flex justify-end gap-2">
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button
            type="submit"
            look="danger"
            busy={doing.busy !== null}
            disabled={disabled || (typed !== undefined && text !== typed)}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

interface ConfirmButtonProps extends Omit<ConfirmProps, 'onClose'> {
  readonly label: string
  /** For screen readers, if the label does not say of what. */
  readonly name?: string
  readonly look?: ButtonLook
}

/** A button that asks before it does something. */
export function ConfirmButton({ label, name = label, look = 'plain', ...confirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button look={look} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <Confirm {...confirm} onClose={() => setOpen(false)} />}
    </>
  )
}
