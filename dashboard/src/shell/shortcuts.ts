import { useEffect, useRef } from 'preact/hooks'

export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Single keys do nothing while somebody writes or a dialog is open; `mod+k` works everywhere. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
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

function isWriting(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
