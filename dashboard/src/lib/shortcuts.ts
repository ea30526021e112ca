import { useLayoutEffect, useRef } from 'preact/hooks'

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Single keys are ignored in text fields and open dialogs; `mod+k` always works. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  // A layout effect, so that keys work with the first paint.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const hasMod = event.metaKey || event.ctrlKey
      const name = hasMod ? `mod+${event.key.toLowerCase()}` : event.key
      const action = latest.current[name]
      if (action === undefined || event.altKey || event.defaultPrevented) return
      if (!hasMod && (isWriting(event.target) || document.querySelector('dialog[open]') !== null)) return
      event.preventDefault()
      action(event)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [])
}

/** j and k move the focus between links marked `data-row`. */
export function useRowKeys(list: { readonly current: HTMLElement | null }): void {
  const move = (step: number) => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
    const at = links.indexOf(document.activeElement as HTMLElement)
    links[at === -1 ? 0 : Math.max(0, Math.min(links.length - 1, at + step))]?.focus()
  }
  useShortcuts({ j: () => move(1), k: () => move(-1) })
}

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
