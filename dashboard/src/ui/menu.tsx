import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

interface MenuProps {
  readonly label: string
  readonly button: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

/** A button that opens a menu in a native popover. */
export function Menu({ label, button, class: className = 'button button-quiet button-icon', children }: MenuProps) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const place = () => {
    if (opener.current === null || list.current === null) return
    placeMenu(list.current, opener.current, 'left')
    list.current.style.visibility = ''
  }
  /** Positions the popover after it opens, because it has no size before, and hides it until then. */
  const hide = (event: Pick<ToggleEvent, 'newState'>) => {
    if (event.newState === 'open' && list.current !== null) list.current.style.visibility = 'hidden'
  }
  return (
    <>
      <button ref={opener} type="button" class={className} popovertarget={id} aria-label={label} title={label}>
        {button}
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the buttons inside take the keys */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: closes after whatever was chosen inside */}
      <div
        ref={list}
        id={id}
        popover="auto"
        onBeforeToggle={hide}
        onToggle={place}
        onClick={() => list.current?.hidePopover()}
        class="min-w-44"
      >
        {children}
      </div>
    </>
  )
}

/** Below its button, or above it where there is no room, with one edge at that of the button. */
export function placeMenu(menu: HTMLElement, opener: HTMLElement, edge: 'left' | 'right'): void {
  const from = opener.getBoundingClientRect()
  const below = from.bottom + 4
  const fits = below + menu.offsetHeight <= window.innerHeight
  const left = edge === 'left' ? from.left : from.right - menu.offsetWidth
  menu.style.top = `${fits ? below : Math.max(8, from.top - menu.offsetHeight - 4)}px`
  menu.style.left = `${Math.max(8, Math.min(left, window.innerWidth - menu.offsetWidth - 8))}px`
}

interface MenuItemProps {
  readonly onClick: () => void
  readonly danger?: boolean
  readonly disabled?: boolean
  readonly children: ComponentChildren
}

export function MenuItem({ onClick, danger = false, disabled = false, children }: MenuItemProps) {
  return (
    <button
      type="button"
      onClick={onClick}
      disabled={disabled}
      class={`touch block w-full rounded px-3 py-1.5 text-start hover:bg-ground disabled:opacity-50 ${danger ? 'text-down-text' : ''}`}
    >
      {children}
    </button>
  )
}
