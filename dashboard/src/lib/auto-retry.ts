import { useEffect, useRef } from 'preact/hooks'

/** Whether the server responds. Costs no session and no database write. */
async function isServerUp(): Promise<boolean> {
  return fetch('/app/api/about', { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )
}

/**
 * Calls `retry` once the server responds: every few seconds, and at once when the browser is online again. The server is asked
 * first, so that a screen does not flicker between its error and its placeholder. Null: nothing to retry.
 */
export function useAutoRetry(retry: (() => void) | null, everyMs: number): void {
  const latest = useRef(retry)
  latest.current = retry
  const isWanted = retry !== null
  useEffect(() => {
    if (!isWanted) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    const attempt = async () => {
      clearTimeout(timer)
      const isUp = await isServerUp()
      if (isOver) return
      timer = setTimeout(attempt, everyMs)
      if (isUp) latest.current?.()
    }
    timer = setTimeout(attempt, everyMs)
    window.addEventListener('online', attempt)
    return () => {
      isOver = true
      clearTimeout(timer)
      window.removeEventListener('online', attempt)
    }
  }, [isWanted, everyMs])
}
