import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'
import { Link } from 'wouter-preact'

export type ButtonLook = 'primary' | 'plain' | 'danger' | 'quiet'

const looks: Readonly<Record<ButtonLook, string>> = {
  primary: 'button button-primary',
  plain: 'button',
  danger: 'button button-danger',
  quiet: 'button button-quiet',
}

interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'look'> {
  readonly look?: ButtonLook
  /** Shows a spinner and disables the button. */
  readonly busy?: boolean
  readonly icon?: ComponentChildren
}

export function Button({ look = 'plain', busy = false, icon, children, disabled, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      class={`${looks[look]} ${children === undefined ? 'button-icon' : ''} ${rest.class ?? ''}`}
      disabled={disabled === true || busy}
      aria-busy={busy}
    >
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
}

interface LinkButtonProps {
  readonly href: string
  readonly look?: ButtonLook
  readonly icon?: ComponentChildren
  readonly children: ComponentChildren
}

/** A link that looks like a button. */
export function LinkButton({ href, look = 'plain', icon, children }: LinkButtonProps) {
  return (
    <Link href={href} class={looks[look]}>
      {icon}
      {children}
    </Link>
  )
}

function Spinner() {
  return (
    <svg class="size-4 animate-spin" viewBox="0 0 16 16" fill="none" aria-hidden="true">
      <circle cx="8" cy="8" r="6.5" stroke="currentColor" stroke-opacity=".3" stroke-width="2" />
      <path d="M14.5 8A6.5 6.5 0 0 0 8 1.5" stroke="currentColor" stroke-width="2" />
    </svg>
  )
}
