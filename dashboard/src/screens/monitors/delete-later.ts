import { useEffect, useState } from 'preact/hooks'
import type { PublicSchemas } from '../../api/client.ts'
import { addSignOutTask } from '../../lib/before-sign-out.ts'
import { plural, t } from '../../lib/i18n.ts'
import { showToast, UNDO_MS } from '../../ui/toast.tsx'

export interface NamedMonitor {
  readonly id: string
  readonly name: string
}

interface Deletion {
  readonly monitors: readonly NamedMonitor[]
  /** Sends the request once, however often it is called. */
  send(): Promise<void>
}

/** Deletions that can still be undone. They outlive the screen that started them. */
const waiting = new Set<Deletion>()
let hidden: ReadonlySet<string> = new Set()
const listeners = new Set<(hidden: ReadonlySet<string>) => void>()

function setHidden(next: ReadonlySet<string>): void {
  hidden = next
  for (const listener of listeners) listener(next)
}

/** Monitors that lists leave out, because they are being deleted. */
export function useHiddenMonitors(): ReadonlySet<string> {
  const [shown, setShown] = useState(hidden)
  useEffect(() => {
    listeners.add(setShown)
    setShown(hidden)
    return () => {
      listeners.delete(setShown)
    }
  }, [])
  return shown
}

interface DeletionRequest {
  readonly monitors: readonly NamedMonitor[]
  /** Must use `keepalive`, so that the request survives the closing of the page. */
  readonly request: (monitors: readonly NamedMonitor[]) => Promise<PublicSchemas['BulkResult']>
  readonly refresh: () => Promise<void>
}

/**
 * Hides the monitors and deletes them after some seconds, unless the user presses Undo. Closing the page or signing out sends
 * the request at once. A page that crashes deletes nothing.
 */
export function deleteLater({ monitors, request, refresh }: DeletionRequest): void {
  const label = monitors.length === 1 ? (monitors[0] as NamedMonitor).name : plural(monitors.length, 'monitor')
  const show = () => setHidden(new Set([...hidden].filter((id) => !monitors.some((monitor) => monitor.id === id))))
  const deletion: Deletion = {
    monitors,
    async send() {
      if (!waiting.delete(deletion)) return
      clearTimeout(timer)
      try {
        await request(monitors)
        await refresh()
      } catch (problem) {
        showToast(t('{label} not deleted. {message}', { label, message: (problem as Error).message }), {
          shownMs: 3 * UNDO_MS,
          action: { label: t('Try again'), run: () => deleteLater({ monitors, request, refresh }) },
        })
      } finally {
        show()
      }
    },
  }
  const timer = setTimeout(() => void deletion.send(), UNDO_MS)
  listenForEnd()
  waiting.add(deletion)
  setHidden(new Set([...hidden, ...monitors.map(({ id }) => id)]))
  showToast(t('{label} deleted', { label }), {
    action: {
      label: t('Undo'),
      run: () => {
        if (!waiting.delete(deletion)) return
        clearTimeout(timer)
        show()
      },
    },
  })
}

const sendAll = () => Promise.all([...waiting].map((deletion) => deletion.send()))
let isListening = false

function listenForEnd(): void {
  if (isListening) return
  isListening = true
  addSignOutTask(sendAll)
  window.addEventListener('pagehide', () => void sendAll())
}
